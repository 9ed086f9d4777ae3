// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/coding.h"

#include <limits>

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

TEST(CodingTest, WritesLittleEndian) {  // F-001
  Buffer out;
  Encoder encoder(out);
  encoder.fixed(std::uint32_t{0x01020304});
  encoder.varint(300);
  encoder.signed_varint(-1);
  encoder.string("ab");
  EXPECT_EQ(out, (Buffer{4, 3, 2, 1, 0xac, 0x02, 0x01, 2, 'a', 'b'}));
}

TEST(CodingTest, KeepsNumbers) {  // F-001
  test::Random random(1);
  std::vector<std::uint64_t> values = {0, 1, 127, 128, 16383, 16384, ~std::uint64_t{0}};
  for (int i = 0; i < 1000; ++i) values.push_back(random() >> test::below(random, 64));
  for (const auto value : values) {
    Buffer out;
    Encoder(out).varint(value);
    Encoder(out).signed_varint(static_cast<std::int64_t>(value));
    Decoder decoder(out);
    EXPECT_EQ(decoder.varint().value(), value);
    EXPECT_EQ(decoder.signed_varint().value(), static_cast<std::int64_t>(value));
    EXPECT_TRUE(decoder.finish());
  }
}

TEST(CodingTest, RefusesNumbersBeyond64Bits) {  // F-001
  Buffer longest(9, 0xff);
  longest.push_back(1);
  EXPECT_EQ(Decoder(longest).varint().value(), ~std::uint64_t{0});
  longest.back() = 2;
  expect_error(Decoder(longest).varint(), ErrorKind::kCorrupt, 2002);
  longest.back() = 0x81;
  longest.push_back(0);
  expect_error(Decoder(longest).varint(), ErrorKind::kCorrupt, 2002);
}

TEST(CodingTest, NeverReadsPastTheEnd) {
  const Buffer bytes = {0xff, 0xff};
  expect_error(Decoder(bytes).varint(), ErrorKind::kCorrupt, 2001);
  expect_error(Decoder(bytes).fixed<std::uint32_t>(), ErrorKind::kCorrupt, 2001);
  expect_error(Decoder(bytes).raw(3), ErrorKind::kCorrupt, 2001);
  expect_error(Decoder(bytes).raw(~std::uint64_t{0}), ErrorKind::kCorrupt, 2001);
  expect_error(Decoder(Buffer{5, 'a'}).string(10), ErrorKind::kCorrupt, 2001);
  expect_error(Decoder(Buffer{5, 'a'}).string(4), ErrorKind::kCorrupt, 2003);
}

}  // namespace
}  // namespace dgfs::format
