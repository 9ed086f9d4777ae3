// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/superblock.h"

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;
using test::valid_superblock;
using test::with;

constexpr std::size_t kFirstRow = 152;
constexpr std::size_t kRowBytes = 24;
constexpr std::size_t kRows = 6;

Buffer superblock_page() { return encode_superblock(valid_superblock()); }

// F-022, F-023, F-025: later code relies on these without checking again.
void expect_sound(const Superblock& superblock) {
  for (const auto& a : superblock.sections) {
    if (a.length_bytes == 0) continue;
    EXPECT_GE(a.offset_bytes, kPageBytes);
    EXPECT_LE(a.length_bytes, superblock.index_bytes);
    EXPECT_LE(a.offset_bytes, superblock.index_bytes - a.length_bytes);
    for (const auto& b : superblock.sections) {
      if (&a == &b || b.length_bytes == 0) continue;
      EXPECT_TRUE(a.offset_bytes + a.length_bytes <= b.offset_bytes ||
                  b.offset_bytes + b.length_bytes <= a.offset_bytes);
    }
  }
  const auto pages = superblock.section(SectionKind::kPages).length_bytes / kPageBytes;
  EXPECT_GE(superblock.namespace_entries, 1U);
  EXPECT_LE(superblock.namespace_entries, pages * kPageEntriesMax);
  EXPECT_LE(superblock.link_entries, pages * kPageEntriesMax);
  EXPECT_GT(superblock.next_inode, superblock.namespace_entries);
}

TEST(SuperblockTest, KeepsEveryField) {
  const auto superblock = valid_superblock();
  const auto encoded = encode_superblock(superblock);
  ASSERT_EQ(encoded.size(), kPageBytes);
  EXPECT_TRUE(is_superblock(encoded));
  const auto decoded = decode_superblock(encoded);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value(), superblock);
}

TEST(SuperblockTest, LeavesOutEmptySections) {
  auto superblock = valid_superblock();
  superblock.sections[static_cast<std::size_t>(SectionKind::kXattrs)] = {SectionKind::kXattrs, 0,
                                                                         0};
  const auto decoded = decode_superblock(encode_superblock(superblock));
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value(), valid_superblock());
}

TEST(SuperblockTest, RefusesOtherMagic) {  // F-010
  EXPECT_FALSE(is_superblock(encode_volume_header(test::valid_volume_header())));
  EXPECT_FALSE(is_superblock(Bytes(superblock_page()).first(7)));
  expect_error(decode_superblock(encode_volume_header(test::valid_volume_header())),
               ErrorKind::kCorrupt, 2541);
}

TEST(SuperblockTest, DetectsEveryFlippedByte) {  // F-011
  auto bytes = superblock_page();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 0x10;
    EXPECT_FALSE(decode_superblock(bytes)) << "byte " << i;
    bytes[i] ^= 0x10;
  }
}

TEST(SuperblockTest, RefusesEveryTruncation) {  // F-011
  test::expect_no_prefix_decodes(superblock_page(), test::kind_of(decode_superblock));
}

TEST(SuperblockTest, RefusesNewerMajorVersion) {  // F-012
  const auto newer = decode_superblock(with<std::uint16_t>(superblock_page(), 8, 2));
  expect_error(newer, ErrorKind::kUnsupported, 2544);
  EXPECT_EQ(newer.error().text(), "format 2.0 is newer than this program (1.0)");
  expect_error(decode_superblock(with<std::uint16_t>(superblock_page(), 8, 0)), ErrorKind::kCorrupt,
               2543);
}

TEST(SuperblockTest, TakesNewerMinorVersionWithMoreFields) {  // F-013
  auto bytes = superblock_page();
  // The section table follows 16 bytes of fields that this program does not know.
  std::copy_backward(bytes.begin() + kFirstRow, bytes.begin() + 1000, bytes.begin() + 1016);
  std::fill_n(bytes.begin() + kFirstRow, 16, std::uint8_t{0xee});
  bytes = with<std::uint32_t>(with<std::uint16_t>(bytes, 10, 7), 12, kFirstRow + 16);
  const auto decoded = decode_superblock(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value().version_minor, 7);
  EXPECT_EQ(decoded.value().sections, valid_superblock().sections);
  // Without the newer version number, the same bytes are no valid 1.0 page.
  expect_error(decode_superblock(with<std::uint16_t>(bytes, 10, 0)), ErrorKind::kCorrupt, 2546);
}

TEST(SuperblockTest, RefusesUnknownIncompatBitsByName) {  // F-014
  const auto refused =
      decode_superblock(with<std::uint64_t>(superblock_page(), 32, 0x8000000000000101));
  expect_error(refused, ErrorKind::kUnsupported, 2545);
  EXPECT_EQ(refused.error().text(), "needs features that this program lacks: bit 8, bit 63");
}

TEST(SuperblockTest, KeepsUnknownCompatBits) {  // F-014
  const auto decoded = decode_superblock(
      with<std::uint64_t>(with<std::uint64_t>(superblock_page(), 16, 1ULL << 40), 24, 2));
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value().compat, 1ULL << 40);
  EXPECT_EQ(decoded.value().ro_compat, 2U);
}

TEST(SuperblockTest, NamesFeatures) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(compat_names(15), (Names{"xattrs", "acls", "incomplete", "link-names"}));
  EXPECT_EQ(incompat_names(3 | 1ULL << 9), (Names{"zstd-extents", "volumes", "bit 9"}));
  EXPECT_EQ(ro_compat_names(1), Names{"bit 0"});
  EXPECT_EQ(compat_names(0), Names{});
}

TEST(SuperblockTest, RefusesNonZeroReservedBytes) {  // F-004, F-015
  expect_error(decode_superblock(with<std::uint32_t>(superblock_page(), 148, 1)),
               ErrorKind::kCorrupt, 2560);
  expect_error(decode_superblock(with<std::uint32_t>(superblock_page(), kFirstRow + 4, 1)),
               ErrorKind::kCorrupt, 2566);
  for (const std::size_t offset : {kFirstRow + kRows * kRowBytes, std::size_t{4087}}) {
    const auto refused = decode_superblock(with<std::uint8_t>(superblock_page(), offset, 1));
    expect_error(refused, ErrorKind::kCorrupt, 2547);
    EXPECT_EQ(refused.error().offset(), offset);
    EXPECT_EQ(refused.error().section(), "superblock");
  }
}

TEST(SuperblockTest, RefusesBadIndexLength) {  // F-020
  for (const std::uint64_t length : {0ULL, 4096ULL, 20481ULL, 1ULL << 63}) {
    expect_error(decode_superblock(with(superblock_page(), 56, length)), ErrorKind::kCorrupt, 2571);
  }
}

TEST(SuperblockTest, RefusesBadSectionTable) {  // F-021
  expect_error(decode_superblock(with<std::uint32_t>(superblock_page(), 144, 165)),
               ErrorKind::kCorrupt, 2567);
  // A row too few leaves bytes behind the table; a row too many has kind 0.
  expect_error(decode_superblock(with<std::uint32_t>(superblock_page(), 144, 5)),
               ErrorKind::kCorrupt, 2547);
  expect_error(decode_superblock(with<std::uint32_t>(superblock_page(), 144, 7)),
               ErrorKind::kCorrupt, 2565);
  expect_error(decode_superblock(with<std::uint32_t>(superblock_page(), kFirstRow + kRowBytes, 1)),
               ErrorKind::kCorrupt, 2565);
}

TEST(SuperblockTest, IgnoresUnknownSections) {  // F-021
  auto superblock = valid_superblock();
  superblock.sections[static_cast<std::size_t>(SectionKind::kXattrs)] = {SectionKind::kXattrs,
                                                                         17000, 48};
  const auto last = kFirstRow + kRows * kRowBytes;
  auto overlapping = with<std::uint32_t>(encode_superblock(superblock), last, 99);
  const auto decoded = decode_superblock(overlapping);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value(), valid_superblock());
  // But their places are checked.
  overlapping = with<std::uint64_t>(overlapping, last + 8, 4096 + 8);
  expect_error(decode_superblock(overlapping), ErrorKind::kCorrupt, 2564);
}

TEST(SuperblockTest, RefusesMisplacedSections) {  // F-022, F-023
  const auto refuse = [](std::size_t offset, std::uint64_t value, unsigned code) {
    expect_error(decode_superblock(with(superblock_page(), offset, value)), ErrorKind::kCorrupt,
                 code);
  };
  refuse(kFirstRow + 8, 4096 + 8, 2561);
  refuse(kFirstRow + 16, 12288 - 8, 2561);
  refuse(kFirstRow + kRowBytes + 8, 16384 + 4, 2561);
  refuse(kFirstRow + kRowBytes + 16, 0, 2562);
  refuse(kFirstRow + 8, 0, 2563);
  refuse(kFirstRow + kRowBytes + 8, 20480, 2563);
  refuse(kFirstRow + kRowBytes + 16, ~std::uint64_t{0}, 2563);
  refuse(kFirstRow + kRowBytes + 8, std::uint64_t{0} - 8, 2563);
  refuse(kFirstRow + kRowBytes + 16, 105, 2564);
  refuse(kFirstRow + 2 * kRowBytes + 8, 4096, 2564);
}

TEST(SuperblockTest, RequiresPagesAndTheirDirectories) {  // F-024
  for (const auto kind :
       {SectionKind::kPages, SectionKind::kPageDirectory, SectionKind::kDirectoryTable,
        SectionKind::kAttributeTables, SectionKind::kInodeRuns, SectionKind::kVolumes}) {
    auto superblock = valid_superblock();
    superblock.sections[static_cast<std::size_t>(kind)] = {};
    expect_error(decode_superblock(encode_superblock(superblock)), ErrorKind::kCorrupt, 2568);
  }
}

TEST(SuperblockTest, TiesEntryCountsToPages) {  // F-025, F-026
  const auto refuse = [](std::uint64_t names, std::uint64_t links, std::uint64_t next,
                         unsigned code) {
    auto superblock = valid_superblock();
    superblock.namespace_entries = names;
    superblock.link_entries = links;
    superblock.next_inode = next;
    expect_error(decode_superblock(encode_superblock(superblock)), ErrorKind::kCorrupt, code);
  };
  refuse(0, 10, 1, 2569);
  refuse(2, 0, 3, 2569);  // three pages hold at least three entries
  refuse(3 * kPageEntriesMax + 1, 0, 100000, 2569);
  refuse(3 * kPageEntriesMax, 1, 100000, 2569);
  refuse(1, ~std::uint64_t{0}, 100000, 2569);
  refuse(300, 1, 300, 2570);
}

TEST(SuperblockTest, RefusesXattrsThatTheFeaturesDeny) {  // F-028
  auto superblock = valid_superblock();
  superblock.sections[static_cast<std::size_t>(SectionKind::kXattrs)] = {
      SectionKind::kXattrs, superblock.index_bytes - 8, 8};
  superblock.compat = ~feature::kCompatXattrs;
  expect_error(decode_superblock(encode_superblock(superblock)), ErrorKind::kCorrupt, 2572);
  superblock.compat = feature::kCompatXattrs;
  EXPECT_TRUE(decode_superblock(encode_superblock(superblock)).has_value());
}

TEST(SuperblockTest, SurvivesEdgeValuesInEveryField) {
  std::vector<test::FieldPlace> fields = {{8, 2}, {10, 2}, {12, 4}, {144, 4}, {148, 4}};
  for (std::size_t offset = 16; offset < 144; offset += 8) fields.push_back({offset, 8});
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto at = kFirstRow + row * kRowBytes;
    fields.insert(fields.end(), {{at, 4}, {at + 4, 4}, {at + 8, 8}, {at + 16, 8}});
  }
  for (const auto field : fields) {
    for (const auto value : test::edge_values(field.width_bytes)) {
      SCOPED_TRACE("offset " + std::to_string(field.offset) + " value " + std::to_string(value));
      const auto decoded = decode_superblock(test::with_field(superblock_page(), field, value));
      if (!decoded) {
        EXPECT_EQ(decoded.error().section(), "superblock");
        EXPECT_TRUE(decoded.error().offset());
        continue;
      }
      expect_sound(decoded.value());
      EXPECT_EQ(decode_superblock(encode_superblock(decoded.value())).value(), decoded.value());
    }
  }
}

TEST(SuperblockTest, SurvivesRandomChanges) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    auto bytes = superblock_page();
    for (std::uint64_t i = test::below(random, 6) + 1; i > 0; --i) {
      bytes[8 + test::below(random, 240)] = static_cast<std::uint8_t>(random());
    }
    test::reseal(bytes);
    const auto decoded = decode_superblock(bytes);
    if (decoded) expect_sound(decoded.value());
  }
}

TEST(UuidTest, GoesToTextAndBack) {
  const auto uuid = test::counting_uuid();
  EXPECT_EQ(uuid_text(uuid), "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
  EXPECT_EQ(parse_uuid(uuid_text(uuid)).value(), uuid);
  EXPECT_EQ(parse_uuid("A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF").value(), uuid);
}

TEST(UuidTest, RefusesOtherText) {
  for (const auto* text :
       {"", "a0a1a2a3", "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaea",
        "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaff", "a0a1a2a3xa4a5-a6a7-a8a9-aaabacadaeaf",
        "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeag", "-a0a1a2a3a4a5-a6a7-a8a9-aaabacadaeaf"}) {
    expect_error(parse_uuid(text), ErrorKind::kInvalidArgument, 2880);
  }
}

}  // namespace
}  // namespace dgfs::format
