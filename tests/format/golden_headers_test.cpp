// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
// The bytes of header pages, pinned. A change here is a change of the format: it needs a version
// or a feature bit (docs/FORMAT.md, compatibility).
#include "tests/format/section_fixtures.h"

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

TEST(GoldenTest, Superblock) {
  const auto page = encode_superblock(test::valid_superblock());
  EXPECT_EQ(hex_lines(Bytes(page).first(256)),
            "4447465349445831"
            "0100000098000000\n"  // magic, 1.0, fields end at 152
            "0100000000000000"
            "0000000000000000\n"  // compat, ro-compat
            "0100000000000000"
            "a0a1a2a3a4a5a6a7\n"  // incompat, UUID
            "a8a9aaabacadaeaf"
            "0050000000000000\n"  // UUID, index length
            "2c01000000000000"
            "0100000000000000\n"  // names, link records
            "2d01000000000000"
            "feffffffffffffff\n"  // next inode, creation time
            "fa00000000000000"
            "2800000000000000\n"  // files, directories
            "0900000000000000"
            "0100000000000000\n"  // symlinks, others
            "8967452301000000"
            "9178452301000000\n"  // content, stored
            "0400000000000000"
            "0100000000000000\n"  // 4 sections; pages
            "0010000000000000"
            "0030000000000000\n"
            "0200000000000000"
            "0040000000000000\n"  // page directory
            "6400000000000000"
            "0400000000000000\n"  // directory table
            "6840000000000000"
            "3200000000000000\n"
            "0800000000000000"
            "a040000000000000\n"  // volumes
            "2100000000000000"
            "0000000000000000\n");
  EXPECT_EQ(hex_lines(Bytes(page).last(16)),
            "0000000000000000"
            "9fe99c6bf0059fbe\n");
}

TEST(GoldenTest, VolumeHeader) {
  const auto page = encode_volume_header(test::valid_volume_header());
  EXPECT_EQ(hex_lines(Bytes(page).first(112)),
            "44474653564f4c31"
            "0100000060000000\n"  // magic, 1.0, fields end at 96
            "0000000000000000"
            "0000000000000000\n"  // compat, ro-compat
            "0200000000000000"
            "a0a1a2a3a4a5a6a7\n"  // incompat, UUID
            "a8a9aaabacadaeaf"
            "0000000000000000\n"  // UUID, number
            "e813000000000000"
            "0020000000000000\n"  // data end, index offset
            "0050000000000000"
            "0080000000000000\n"  // index length, file length
            "0000000000000000"
            "0000000000000000\n");
  EXPECT_EQ(hex_lines(Bytes(page).last(16)),
            "0000000000000000"
            "73c9ef2924c4b644\n");
}

TEST(GoldenTest, SealedRecord) {  // F-043: XXH3 with the kind as seed
  EXPECT_EQ(hex_lines(seal_record(SectionKind::kXattrs, as_bytes("12345678"))),
            "f17017d02d7ba1dc"
            "3132333435363738\n");
}

}  // namespace
}  // namespace dgfs::format
