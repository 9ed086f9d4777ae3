// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/content/extent.h"

#include <algorithm>

#include "tests/format/section/section_fixtures.h"
#include "tests/support/whole_extent.h"

namespace dgfs::format {
namespace {

using dgfs::test::find_frames;
using dgfs::test::read_extent;
using test::expect_error;

/// A level that is fast enough for tests.
constexpr int kLevel = 3;

Buffer make_extent(ExtentCodec codec, Bytes content) {
  Buffer out;
  if (codec == ExtentCodec::kRaw) {
    append_raw_extent(content, out);
  } else {
    EXPECT_TRUE(append_zstd_extent(content, kLevel, out));
  }
  return out;
}

Buffer text_bytes(std::size_t size) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>("lorem ipsum dolor"[i * i % 17]);
  }
  return bytes;
}

class ExtentTest : public testing::TestWithParam<ExtentCodec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, ExtentTest, testing::Values(ExtentCodec::kRaw, ExtentCodec::kZstd),
                         [](const auto& p) {
                           return p.param == ExtentCodec::kRaw ? "Raw" : "Zstd";
                         });

TEST_P(ExtentTest, KeepsContent) {  // F-300, F-301
  test::Random random(1);
  for (const std::size_t size : {0U, 1U, 100U, 65535U, 65536U, 65537U, 131072U, 131073U, 300000U}) {
    for (const auto& content : {Buffer(size), text_bytes(size), test::random_bytes(random, size)}) {
      SCOPED_TRACE(size);
      const auto extent = make_extent(GetParam(), content);
      const auto read = read_extent(GetParam(), extent, size);
      ASSERT_TRUE(read) << read.error().message();
      EXPECT_TRUE(read.value() == content);
      if (GetParam() == ExtentCodec::kRaw) {
        EXPECT_EQ(extent.size(), raw_extent_bytes(size));
      }
    }
  }
}

TEST_P(ExtentTest, DetectsEveryFlippedByte) {  // F-300
  const auto content = text_bytes(300);
  auto extent = make_extent(GetParam(), content);
  for (std::size_t i = 0; i < extent.size(); ++i) {
    extent[i] ^= 0x20;
    EXPECT_FALSE(read_extent(GetParam(), extent, content.size())) << "byte " << i;
    extent[i] ^= 0x20;
  }
}

TEST_P(ExtentTest, DetectsDamageInLargeFiles) {  // F-300, F-303
  const auto content = text_bytes(200000);
  auto extent = make_extent(GetParam(), content);
  test::Random random(2);
  for (int i = 0; i < 200; ++i) {
    // Always tries the last 65 bytes, where a compressed extent has its seek table.
    const auto at = i < 65 ? extent.size() - 1 - static_cast<std::size_t>(i)
                           : test::below(random, extent.size());
    extent[at] ^= 0x01;
    EXPECT_FALSE(read_extent(GetParam(), extent, content.size())) << "byte " << at;
    extent[at] ^= 0x01;
  }
}

TEST_P(ExtentTest, DetectsSwappedFrames) {  // F-300
  // Both frames of a raw extent have the same content, so only their numbers tell them apart. A
  // compressed extent keeps checksums elsewhere, so equal frames may change places.
  Buffer content(2 * frame_bytes(GetParam()), 'q');
  if (GetParam() == ExtentCodec::kZstd) content[7] = content[frame_bytes(GetParam()) + 9] = 'r';
  auto extent = make_extent(GetParam(), content);
  const auto offsets = find_frames(GetParam(), extent, content.size()).value().offsets;
  ASSERT_EQ(offsets[1], offsets[2] - offsets[1]);
  std::swap_ranges(extent.begin(), extent.begin() + static_cast<std::ptrdiff_t>(offsets[1]),
                   extent.begin() + static_cast<std::ptrdiff_t>(offsets[1]));
  expect_error(read_extent(GetParam(), extent, content.size()), ErrorKind::kCorrupt, 2721);
}

TEST_P(ExtentTest, RefusesEveryTruncatedFrame) {  // F-301
  const auto content = text_bytes(200);
  const auto extent = make_extent(GetParam(), content);
  test::expect_no_prefix_decodes(extent, test::kind_of([](Bytes bytes) {
                                   Buffer out(200);
                                   return open_frame(GetParam(), 0, bytes, out);
                                 }));
}

TEST(RawExtentTest, KnowsItsSizes) {  // F-302
  EXPECT_EQ(frame_count(ExtentCodec::kRaw, 0), 0U);
  EXPECT_EQ(frame_count(ExtentCodec::kRaw, 65536), 1U);
  EXPECT_EQ(frame_count(ExtentCodec::kRaw, 65537), 2U);
  for (const std::uint64_t content : {0ULL, 1ULL, 65535ULL, 65536ULL, 65537ULL, 5ULL << 32,
                                      static_cast<unsigned long long>(kFileBytesMax)}) {
    EXPECT_EQ(raw_content_bytes(raw_extent_bytes(content)), content);
  }
  // No content has a stored size that would make the last frame empty.
  for (const std::uint64_t rest : {1U, 7U, 8U}) {
    EXPECT_EQ(raw_content_bytes(rest), ~std::uint64_t{0});
    EXPECT_EQ(raw_content_bytes(65544 + rest), ~std::uint64_t{0});
  }
}

TEST(FrameTest, RefusesImpossibleLengths) {  // F-301
  Buffer out(10);
  const auto extent = make_extent(ExtentCodec::kRaw, Buffer(10, 'x'));
  expect_error(open_frame(ExtentCodec::kRaw, 0, Bytes(extent).first(7), out), ErrorKind::kCorrupt,
               2720);
  expect_error(open_frame(ExtentCodec::kRaw, 0, extent, {}), ErrorKind::kCorrupt, 2720);
  for (const auto codec : {ExtentCodec::kRaw, ExtentCodec::kZstd}) {
    Buffer large(frame_bytes(codec) + 1);
    expect_error(open_frame(codec, 0, extent, large), ErrorKind::kCorrupt, 2720);
  }
  Buffer other(11);
  expect_error(open_frame(ExtentCodec::kRaw, 0, extent, other), ErrorKind::kCorrupt, 2722);
  expect_error(open_frame(static_cast<ExtentCodec>(7), 0, extent, out), ErrorKind::kCorrupt, 2722);
}

TEST(FrameTest, RefusesOtherContentLengths) {  // F-044, F-301
  const auto extent = make_extent(ExtentCodec::kZstd, Buffer(100, 'x'));
  for (const std::size_t size : {1U, 99U, 101U, 65536U}) {
    Buffer out(size);
    const auto status = open_frame(ExtentCodec::kZstd, 0, extent, out);
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().section(), "extent");
  }
}

TEST(FrameTest, SurvivesDamageUnderARightChecksum) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    test::Random random(seed);
    auto extent = make_extent(ExtentCodec::kZstd, text_bytes(1000));
    for (std::uint64_t i = test::below(random, 3) + 1; i > 0; --i) {
      extent[8 + test::below(random, extent.size() - 8)] = static_cast<std::uint8_t>(random());
    }
    store(MutableBytes(extent), 0, frame_checksum(0, Bytes(extent).subspan(8)));
    Buffer out(1000);
    const auto status = open_frame(ExtentCodec::kZstd, 0, extent, out);
    if (!status) {
      EXPECT_EQ(status.error().kind(), ErrorKind::kCorrupt);
    }
  }
}

TEST(FragmentFrameTest, SaysItsOwnLength) {  // F-307
  const auto content = text_bytes(kFragmentFrameBytesMax);
  const auto frame = make_extent(ExtentCodec::kZstd, content);
  const auto opened = open_fragment_frame(frame);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened.value() == content);
  const auto long_frame = make_extent(ExtentCodec::kZstd, text_bytes(kFragmentFrameBytesMax + 1));
  expect_error(open_fragment_frame(long_frame), ErrorKind::kCorrupt, 2729);
  expect_error(open_fragment_frame(Bytes(frame).first(8)), ErrorKind::kCorrupt, 2728);
  expect_error(open_fragment_frame(Bytes(frame).first(frame.size() - 1)), ErrorKind::kCorrupt,
               2721);
  auto damaged = frame;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    damaged[i] ^= 0x10;
    EXPECT_FALSE(open_fragment_frame(damaged)) << i;
    // Without checks, opening gives an error, or content of a valid length.
    const auto unchecked = open_fragment_frame(damaged, {nullptr, false});
    if (unchecked) {
      EXPECT_LE(unchecked.value().size(), kFragmentFrameBytesMax);
    }
    damaged[i] ^= 0x10;
  }
}

TEST(ZstdExtentTest, DependsOnContentAlone) {
  const auto content = text_bytes(150000);
  const auto before = make_extent(ExtentCodec::kZstd, content);
  test::Random random(3);
  make_extent(ExtentCodec::kZstd, test::random_bytes(random, 300000));
  EXPECT_TRUE(make_extent(ExtentCodec::kZstd, content) == before);
}

TEST(ZstdExtentTest, RefusesBadLevels) {
  Buffer out;
  const Buffer content(10, 'x');
  expect_error(append_zstd_extent(content, 0, out), ErrorKind::kInvalidArgument, 2520);
  expect_error(append_zstd_extent(content, 99, out), ErrorKind::kInvalidArgument, 2520);
}

}  // namespace
}  // namespace dgfs::format
