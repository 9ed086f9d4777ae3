// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/frame.h"

#include <zstd.h>

#include "format/zstd/content_dictionary.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

Buffer text(std::size_t bytes, std::uint64_t seed) {
  Buffer text;
  for (auto i = seed; text.size() < bytes; ++i) {
    const auto line = "line " + std::to_string(i * 7919 % 1009) + " is like some others\n";
    text.insert(text.end(), line.begin(), line.end());
  }
  text.resize(bytes);
  return text;
}

ContentDictionary trained() {
  Buffer joined;
  std::vector<std::size_t> lengths(200, 500);
  for (std::uint64_t i = 0; i < lengths.size(); ++i) {
    const auto sample = text(lengths[i], i * 31);
    joined.insert(joined.end(), sample.begin(), sample.end());
  }
  auto bytes = ZstdDictionary::train_for_contents(joined, lengths, 8192, 6).value().value();
  return make_content_dictionary(9, ".txt", std::move(bytes)).value();
}

// zstd 1.5.4 reads behind such samples.
TEST(ZstdDictionary, SamplesOfSingleBytesMakeNone) {
  const std::vector<std::size_t> lengths(9, 1);
  EXPECT_FALSE(ZstdDictionary::train_for_contents(Buffer(9), lengths, 7388, 3).value());
  std::vector<std::size_t> rising(6, 1);
  rising.insert(rising.end(), 2, 4096);
  EXPECT_FALSE(ZstdDictionary::train_for_contents(Buffer(6 + 8192), rising, 1024, 3).value());
}

// On both sides of the lengths from which a dictionary's tables are copied.
constexpr std::size_t kLengths[] = {0, 1, 8192, 8193, 32768, 32769, 131072};

TEST(ZstdFrame, WithADictionaryComesBackAtAnyLengthAndLevel) {  // F-044, F-233, F-307
  const auto dictionary = trained();
  ContentDictionaries dictionaries;
  ASSERT_TRUE(dictionaries.add(trained()));
  ZstdCompressor used;
  for (const int level : {1, 5, 6, 12, 19, 22}) {
    for (const std::size_t bytes : kLengths) {
      SCOPED_TRACE(std::to_string(level) + ", " + std::to_string(bytes));
      const auto content = text(bytes, 5);
      Buffer frame;
      ASSERT_TRUE(used.append(content, level, frame, &dictionary));
      EXPECT_EQ(ZSTD_getDictID_fromFrame(frame.data(), frame.size()), 9U);
      EXPECT_EQ(ZSTD_getFrameContentSize(frame.data(), frame.size()), bytes);
      Buffer out(bytes);
      ASSERT_TRUE(decompress_zstd_frame(frame, out, &dictionaries));
      EXPECT_TRUE(out == content);
      // Neither what a compressor did before, nor fresh tables, change the bytes.
      dictionary.zstd->forget_compression();
      Buffer again;
      ASSERT_TRUE(ZstdCompressor().append(content, level, again, &dictionary));
      EXPECT_TRUE(again == frame);
    }
  }
}

}  // namespace
}  // namespace dgfs::format
