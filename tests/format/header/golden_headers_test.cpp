// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
// The bytes of header pages, pinned. A change here is a change of the format: it needs a version
// or a feature bit (docs/FORMAT.md, compatibility).
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

std::string hex_lines(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
    if (i % 16 == 15) text += '\n';
  }
  return text;
}

TEST(GoldenHeaders, Superblock) {
  const auto page = encode_superblock(test::valid_superblock());
  EXPECT_EQ(hex_lines(Bytes(page).first(304)),
            "44474653494458310100000098000000\n"  // magic, 1.0, fields end at 152
            "01000000000000000000000000000000\n"  // compat, ro-compat
            "0100000000000000a0a1a2a3a4a5a6a7\n"  // incompat, UUID
            "a8a9aaabacadaeaf0050000000000000\n"  // UUID, index length
            "2c010000000000000100000000000000\n"  // names, link records
            "2d01000000000000feffffffffffffff\n"  // next inode, creation time
            "fa000000000000002800000000000000\n"  // files, directories
            "09000000000000000100000000000000\n"  // symlinks, others
            "89674523010000009178452301000000\n"  // content, stored
            "06000000000000000100000000000000\n"  // 6 sections; pages
            "00100000000000000030000000000000\n"
            "02000000000000000040000000000000\n"  // page directory
            "64000000000000000400000000000000\n"  // directory table
            "68400000000000003200000000000000\n"
            "0500000000000000a040000000000000\n"  // attribute tables
            "21000000000000000700000000000000\n"  // inode runs
            "c8400000000000001c00000000000000\n"
            "0800000000000000e840000000000000\n"  // volumes
            "29000000000000000000000000000000\n");
  EXPECT_EQ(hex_lines(Bytes(page).last(16)), "0000000000000000b90f00a2fae326fd\n");
}

TEST(GoldenHeaders, VolumeHeader) {
  const auto page = encode_volume_header(test::valid_volume_header());
  EXPECT_EQ(hex_lines(Bytes(page).first(112)),
            "44474653564f4c310100000060000000\n"  // magic, 1.0, fields end at 96
            "00000000000000000000000000000000\n"  // compat, ro-compat
            "0200000000000000a0a1a2a3a4a5a6a7\n"  // incompat, UUID
            "a8a9aaabacadaeaf0000000000000000\n"  // UUID, number
            "e8130000000000000020000000000000\n"  // data end, index offset
            "00500000000000000080000000000000\n"  // index length, file length
            "00000000000000000000000000000000\n");
  EXPECT_EQ(hex_lines(Bytes(page).last(16)), "000000000000000073c9ef2924c4b644\n");
}

TEST(GoldenHeaders, SealedRecord) {  // F-043: XXH3 with kind and offset as seed
  EXPECT_EQ(hex_lines(seal_record(SectionKind::kXattrs, 0x123, as_bytes("12345678"))),
            "6b0285415e73f44b3132333435363738\n");
}

}  // namespace
}  // namespace dgfs::format
