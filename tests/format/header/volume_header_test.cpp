// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/volume_header.h"

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;
using test::valid_volume_header;
using test::with;

Buffer header_page() { return encode_volume_header(valid_volume_header()); }

TEST(VolumeHeaderTest, KeepsEveryField) {
  auto header = valid_volume_header();
  EXPECT_EQ(decode_volume_header(header_page()).value(), header);
  EXPECT_TRUE(is_volume_header(header_page()));
  EXPECT_FALSE(is_volume_header(encode_superblock(test::valid_superblock())));
  header.number = 0xffff;
  header.index_offset = header.index_bytes = 0;
  EXPECT_EQ(decode_volume_header(encode_volume_header(header)).value(), header);
}

TEST(VolumeHeaderTest, DetectsEveryFlippedByteAndTruncation) {  // F-011
  auto bytes = header_page();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 0x01;
    EXPECT_FALSE(decode_volume_header(bytes)) << "byte " << i;
    bytes[i] ^= 0x01;
  }
  test::expect_no_prefix_decodes(header_page(), test::kind_of(decode_volume_header));
}

TEST(VolumeHeaderTest, RefusesNewerVersionsAndFeatures) {  // F-012, F-014
  expect_error(decode_volume_header(with<std::uint16_t>(header_page(), 8, 2)),
               ErrorKind::kUnsupported, 2544);
  const auto refused = decode_volume_header(with<std::uint64_t>(header_page(), 32, 256));
  expect_error(refused, ErrorKind::kUnsupported, 2545);
  EXPECT_EQ(refused.error().section(), "volume header");
}

TEST(VolumeHeaderTest, RefusesNonZeroReservedBytes) {  // F-004, F-015
  expect_error(decode_volume_header(with<std::uint16_t>(header_page(), 58, 1)), ErrorKind::kCorrupt,
               2600);
  expect_error(decode_volume_header(with<std::uint32_t>(header_page(), 60, 1)), ErrorKind::kCorrupt,
               2600);
  expect_error(decode_volume_header(with<std::uint8_t>(header_page(), 96, 1)), ErrorKind::kCorrupt,
               2547);
}

TEST(VolumeHeaderTest, RefusesBadPlaces) {  // F-030, F-031, F-032
  const auto refuse = [](std::size_t offset, std::uint64_t value, unsigned code) {
    expect_error(decode_volume_header(with(header_page(), offset, value)), ErrorKind::kCorrupt,
                 code);
  };
  refuse(88, 4096, 2601);
  refuse(88, 32769, 2601);
  refuse(88, std::uint64_t{1} << 63, 2601);
  refuse(64, 4095, 2602);
  refuse(64, 28673, 2602);
  refuse(64, 8193, 2603);  // data reaches into the index
  refuse(72, 0, 2603);     // a length without an offset
  refuse(80, 0, 2603);     // an offset without a length
  refuse(72, 8200, 2603);
  refuse(72, 12288, 2603);  // the index reaches into the trailing header
  refuse(72, std::uint64_t{0} - 4096, 2603);
  refuse(80, std::uint64_t{0} - 4096, 2603);
}

TEST(VolumeHeaderTest, SurvivesEdgeValuesInEveryField) {
  std::vector<test::FieldPlace> fields = {{8, 2}, {10, 2}, {12, 4}, {56, 2}, {58, 2}, {60, 4}};
  for (const std::size_t offset : {16U, 24U, 32U, 40U, 48U, 64U, 72U, 80U, 88U}) {
    fields.push_back({offset, 8});
  }
  for (const auto field : fields) {
    for (const auto value : test::edge_values(field.width_bytes)) {
      SCOPED_TRACE("offset " + std::to_string(field.offset) + " value " + std::to_string(value));
      const auto decoded = decode_volume_header(test::with_field(header_page(), field, value));
      if (!decoded) {
        EXPECT_TRUE(decoded.error().offset());
        continue;
      }
      const auto& header = decoded.value();
      EXPECT_GE(header.data_end, kPageBytes);
      EXPECT_LE(header.data_end, header.file_bytes - kPageBytes);
      EXPECT_LE(header.index_bytes, header.file_bytes);
      EXPECT_LE(header.index_offset, header.file_bytes - header.index_bytes);
      EXPECT_EQ(decode_volume_header(encode_volume_header(header)).value(), header);
    }
  }
}

std::vector<VolumeRecord> volumes() {
  return {{0, 4096, "tree.dgfs"}, {1, 1 << 20, ""}, {65535, kFileBytesMax, "b\xff"}};
}

Buffer encoded_table(const std::vector<VolumeRecord>& records) {
  Buffer body;
  encode_volume_table(records, body);
  return body;
}

TEST(VolumeTableTest, KeepsRecords) {
  EXPECT_EQ(decode_volume_table(encoded_table(volumes())).value(), volumes());
  EXPECT_TRUE(decode_volume_table(encoded_table({})).value().empty());
}

TEST(VolumeTableTest, RefusesEveryTruncationAndTail) {
  test::expect_no_prefix_decodes(encoded_table(volumes()), test::kind_of(decode_volume_table));
  auto longer = encoded_table(volumes());
  longer.push_back(0);
  expect_error(decode_volume_table(longer), ErrorKind::kCorrupt, 2004);
}

TEST(VolumeTableTest, RefusesNumbersOutOfOrder) {  // F-035
  expect_error(decode_volume_table(encoded_table({{1, 4096, ""}, {1, 4096, ""}})),
               ErrorKind::kCorrupt, 2623);
  expect_error(decode_volume_table(encoded_table({{1, 4096, ""}, {0, 4096, ""}})),
               ErrorKind::kCorrupt, 2623);
}

TEST(VolumeTableTest, RefusesHintsThatLeadElsewhere) {  // F-036
  for (const auto* hint : {"a/b", "/etc/passwd", "..", "."}) {
    expect_error(decode_volume_table(encoded_table({{0, 4096, hint}})), ErrorKind::kCorrupt, 2621);
  }
  expect_error(decode_volume_table(encoded_table({{0, 4096, std::string(1, '\0')}})),
               ErrorKind::kCorrupt, 2621);
  expect_error(decode_volume_table(encoded_table({{0, 4096, std::string(256, 'a')}})),
               ErrorKind::kCorrupt, 2003);
}

TEST(VolumeTableTest, RefusesImpossibleNumbers) {  // F-002, F-031
  expect_error(decode_volume_table(encoded_table({{0, 4095, ""}})), ErrorKind::kCorrupt, 2620);
  expect_error(decode_volume_table(encoded_table({{0, kFileBytesMax + 1, ""}})),
               ErrorKind::kCorrupt, 2003);
  Buffer body;
  Encoder(body).varint(~std::uint64_t{0});
  const auto refused = decode_volume_table(body);
  expect_error(refused, ErrorKind::kCorrupt, 2622);
  EXPECT_EQ(refused.error().section(), "volumes");
}

}  // namespace
}  // namespace dgfs::format
