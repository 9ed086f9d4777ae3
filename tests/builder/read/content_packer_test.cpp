// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/content_packer.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/builder/source_tree.h"
#include "tests/support/whole_extent.h"

namespace dgfs::test {
namespace {

using builder::ContentPacker;
using builder::DictionarySet;
using builder::packed_bytes_max;
using builder::StoredExtent;
using format::ExtentCodec;

Buffer text(std::size_t bytes, std::uint64_t seed) {
  Buffer content;
  while (content.size() < bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const auto word = "word" + std::to_string(seed >> 54) + (seed % 3 == 0 ? "\n" : " ");
    content.insert(content.end(), word.begin(), word.end());
  }
  content.resize(bytes);
  return content;
}

Buffer incompressible(std::size_t bytes) {
  const auto content = noise(bytes, 1);
  return {content.begin(), content.end()};
}

Buffer dictionary_of_texts() {
  Buffer joined;
  std::vector<std::size_t> lengths(200, 1000);
  for (std::uint64_t i = 0; i < lengths.size(); ++i) {
    const auto sample = text(lengths[i], i);
    joined.insert(joined.end(), sample.begin(), sample.end());
  }
  return format::ZstdDictionary::train_for_contents(joined, lengths, 4096, 3).value().value();
}

struct Packed {
  StoredExtent stored;
  Buffer extent;
  std::vector<std::uint64_t> checksums;
};

Packed pack(ContentPacker& packer, Bytes content) {
  Packed packed;
  packed.extent.resize(static_cast<std::size_t>(packed_bytes_max(content.size())));
  packed.stored = packer.pack({"name.c", 1}, content, packed.extent, packed.checksums).value();
  packed.extent.resize(static_cast<std::size_t>(packed.stored.bytes));
  return packed;
}

Buffer unpacked(const Packed& packed, std::size_t content_bytes) {
  EXPECT_EQ(packed.checksums.size(), format::frame_count(packed.stored.codec, content_bytes));
  return read_extent(packed.stored.codec, packed.extent, content_bytes).value();
}

constexpr std::size_t kSizes[] = {1,     7,     8,      31,     100,    4096,   32767,  32768,
                                  65536, 65537, 131071, 131072, 131073, 262144, 300000, 1 << 20};

// The three parts that are tried are noise, but not what lies between them.
TEST(ContentPacker, TriesFilesThatHaveNoDictionaryByName) {
  auto content = text(100'000, 1);
  const auto random = incompressible(16384);
  for (const std::size_t at : {std::size_t{0}, content.size() / 2, content.size() - 16384}) {
    std::copy(random.begin(), random.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (const char* label : {".c", "(binary)"}) {
    DictionarySet dictionaries;
    ASSERT_TRUE(dictionaries.add(label, 0, dictionary_of_texts()));
    ContentPacker packer(3, dictionaries, 1, builder::StopFlag());
    const auto packed = pack(packer, content);
    EXPECT_EQ(packed.stored.codec, *label == '.' ? ExtentCodec::kZstd : ExtentCodec::kRaw) << label;
  }
}

TEST(ContentPacker, CompressesTextOfAnySize) {  // F-300, F-303
  const DictionarySet none;
  ContentPacker packer(3, none, 1, builder::StopFlag());
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    const auto content = text(size, size);
    const auto packed = pack(packer, content);
    EXPECT_TRUE(unpacked(packed, size) == content);
    if (size >= 4096) {
      EXPECT_EQ(packed.stored.codec, ExtentCodec::kZstd);
      EXPECT_LT(packed.stored.bytes, size / 2);
    }
  }
}

TEST(ContentPacker, StoresNoiseAsItIs) {
  const DictionarySet none;
  ContentPacker packer(19, none, 1, builder::StopFlag());
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    const auto content = incompressible(size);
    const auto packed = pack(packer, content);
    EXPECT_EQ(packed.stored.codec, ExtentCodec::kRaw);
    EXPECT_EQ(packed.stored.bytes, format::raw_extent_bytes(size));
    EXPECT_TRUE(unpacked(packed, size) == content);
  }
}

// The packer samples text at the places it looks at; the rest is noise and must still fit.
TEST(ContentPacker, NoiseBetweenTextFits) {
  const DictionarySet none;
  ContentPacker packer(3, none, 1, builder::StopFlag());
  auto content = incompressible(1 << 20);
  const auto begin = text(16 << 10, 1);
  std::copy(begin.begin(), begin.end(), content.begin());
  const auto packed = pack(packer, content);
  EXPECT_EQ(packed.stored.codec, ExtentCodec::kZstd);
  EXPECT_LE(packed.stored.bytes, packed_bytes_max(content.size()));
  EXPECT_TRUE(unpacked(packed, content.size()) == content);
}

TEST(ContentPacker, PiecesAreWhatTheWholeIs) {
  const DictionarySet none;
  ContentPacker packer(3, none, 1, builder::StopFlag());
  const auto content = text(600'000, 9);
  const auto whole = pack(packer, content);
  Buffer joined;
  format::SeekTable table;
  for (std::uint64_t frame = 0; frame * format::kZstdFrameBytes < content.size(); frame += 2) {
    const auto at = static_cast<std::size_t>(frame) * format::kZstdFrameBytes;
    const auto piece =
        Bytes(content).subspan(at, std::min(2 * format::kZstdFrameBytes, content.size() - at));
    Buffer room(2 * format::kZstdFrameStoredBytesMax);
    format::SeekTable frames;
    ASSERT_TRUE(packer.pack_frames(frame, piece, room, frames));
    for (std::uint64_t i = 0; i < frames.frame_count(); ++i) {
      table.add(frames.begin(i + 1) - frames.begin(i), frames.checksum(i));
    }
    joined.insert(joined.end(), room.begin(),
                  room.begin() + static_cast<std::ptrdiff_t>(frames.begin(frames.frame_count())));
  }
  table.encode(content.size(), joined);
  EXPECT_TRUE(joined == whole.extent);
}

TEST(ContentPacker, ManyThreadsMakeTheSameBytes) {
  const DictionarySet none;
  ContentPacker alone(6, none, 1, builder::StopFlag());
  std::vector<Buffer> expected;
  for (std::size_t i = 0; i < 64; ++i)
    expected.push_back(pack(alone, text(1 + i * 3000, i)).extent);
  ContentPacker shared(6, none, 2, builder::StopFlag());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 64; ++i) {
        const auto which = (i * 5 + t * 17) % 64;
        EXPECT_TRUE(pack(shared, text(1 + which * 3000, which)).extent == expected[which]);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace dgfs::test
