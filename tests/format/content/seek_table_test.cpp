// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/content/seek_table.h"
#include "format/content/extent.h"

#include <zstd.h>

#include <functional>

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

constexpr std::uint64_t kContentBytes = 2 * kZstdFrameBytes + 100;
constexpr std::size_t kTableBytes = 81;
constexpr std::size_t kBehindChecksum = 16;

/// The table of frames with these lengths.
Buffer table_of_frames(const std::vector<std::uint32_t>& lengths, std::uint64_t content_bytes) {
  SeekTable made;
  for (const auto length : lengths) made.add(length, 1000 + length);
  Buffer out;
  made.encode(content_bytes, out);
  return out;
}

/// `bytes` after `change`, with a right checksum.
Buffer changed_table(Buffer bytes, const std::function<void(Buffer&)>& change) {
  change(bytes);
  store(MutableBytes(bytes), 8, checksum64(Bytes(bytes).subspan(kBehindChecksum), 3));
  return bytes;
}

TEST(SeekTableTest, GivesPlacesAndChecksums) {  // F-303
  const auto encoded = table_of_frames({10, 20, 30}, kContentBytes);
  EXPECT_EQ(encoded.size(), kTableBytes);
  EXPECT_EQ(seek_table_bytes(3), kTableBytes);
  const auto decoded = SeekTable::decode(encoded, kContentBytes, 60 + kTableBytes).value();
  ASSERT_EQ(decoded.frame_count(), 3U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(decoded.begin(i), 5 * i * (i + 1));
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(decoded.checksum(i), 1010 + 10 * i);
}

TEST(SeekTableTest, RefusesImpossibleLengths) {  // F-303, F-305
  const auto encoded = table_of_frames({10, 20, 30}, kContentBytes);
  const auto refuse = [&](Bytes bytes, std::uint64_t content, std::uint64_t stored) {
    expect_error(SeekTable::decode(bytes, content, stored), ErrorKind::kCorrupt, 2723);
  };
  refuse(encoded, kContentBytes - 101, 60 + kTableBytes);
  refuse(encoded, kContentBytes + kZstdFrameBytes, 60 + kTableBytes);
  refuse(encoded, std::uint64_t{1} << 62, 60 + kTableBytes);
  refuse(encoded, 100, 60 + kTableBytes);
  refuse(encoded, kContentBytes, kTableBytes - 1);
  refuse({}, kContentBytes, 60 + kTableBytes);
  refuse(Bytes(encoded).first(kTableBytes - 1), kContentBytes, 60 + kTableBytes);
}

TEST(SeekTableTest, RefusesEveryFlippedBit) {  // F-303
  auto encoded = table_of_frames({10, 20, 30}, kContentBytes);
  for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit) {
    encoded[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(SeekTable::decode(encoded, kContentBytes, 60 + kTableBytes)) << "bit " << bit;
    encoded[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
}

TEST(SeekTableTest, RefusesWhatIsNoSeekableTableUnderARightChecksum) {  // F-303
  const auto encoded = table_of_frames({10, 20, 30}, kContentBytes);
  // Magic numbers and lengths of both skippable frames, the number of frames, the descriptor, the
  // last magic number.
  for (const std::size_t at : {0U, 4U, 40U, 44U, 72U, 76U, 77U}) {
    const auto wrong = changed_table(encoded, [&](Buffer& bytes) { bytes[at] ^= 1; });
    expect_error(SeekTable::decode(wrong, kContentBytes, 60 + kTableBytes), ErrorKind::kCorrupt,
                 2724);
  }
}

TEST(SeekTableTest, RefusesFramesThatAreNot) {  // F-304
  const auto refuse = [](const std::vector<std::uint32_t>& lengths, std::uint64_t stored,
                         unsigned code) {
    expect_error(SeekTable::decode(table_of_frames(lengths, kContentBytes), kContentBytes, stored),
                 ErrorKind::kCorrupt, code);
  };
  refuse({0, 20, 40}, 60 + kTableBytes, 2725);
  refuse({10, kZstdFrameStoredBytesMax + 1, 30}, 60 + kTableBytes, 2725);
  refuse({10, ~std::uint32_t{0}, 30}, 60 + kTableBytes, 2725);
  refuse({10, 20, 30}, 61 + kTableBytes, 2726);
  refuse({10, 20, 30}, 59 + kTableBytes, 2726);
  const auto other_content = changed_table(table_of_frames({10, 20, 30}, kContentBytes),
                                           [](Buffer& bytes) { bytes[52] ^= 1; });
  expect_error(SeekTable::decode(other_content, kContentBytes, 60 + kTableBytes),
               ErrorKind::kCorrupt, 2725);
}

// Other programs read such an extent as a zstd file: its frames, then two skippable ones.
TEST(SeekTableTest, ExtentsAreZstdFiles) {  // F-306
  Buffer content(300'000);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(i / 7);
  Buffer extent;
  ASSERT_TRUE(append_zstd_extent(content, 3, extent));
  Buffer out(content.size());
  EXPECT_EQ(ZSTD_decompress(out.data(), out.size(), extent.data(), extent.size()), out.size());
  EXPECT_TRUE(out == content);
}

}  // namespace
}  // namespace dgfs::format
