// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/volume_origins.h"

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

Uuid uuid_of(std::uint8_t byte) {
  Uuid uuid{};
  uuid.fill(byte);
  return uuid;
}

Buffer encoded(const std::vector<VolumeOrigin>& origins) {
  Buffer body;
  encode_volume_origins(origins, body);
  return body;
}

TEST(VolumeOriginsTest, AreReadAsTheyWereWritten) {
  const std::vector<VolumeOrigin> origins = {{1, uuid_of(7), 0, 0x1122334455667788, 0},
                                             {2, uuid_of(7), 1, 5, 4096},
                                             {65535, uuid_of(7), 1, 6, (std::uint64_t{1} << 62)}};
  const auto body = encoded(origins);
  const auto read = decode_volume_origins(body);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read.value(), origins);
  test::expect_no_prefix_decodes(
      body, test::kind_of([](Bytes bytes) { return decode_volume_origins(bytes); }));
}

TEST(VolumeOriginsTest, EachBrokenRuleIsRefused) {
  const auto refuse = [](const std::vector<VolumeOrigin>& origins, unsigned code) {
    expect_error(decode_volume_origins(encoded(origins)), ErrorKind::kCorrupt, code);
  };
  refuse({}, 2700);                                                    // F-351
  refuse({{0, uuid_of(7), 0, 1, 0}}, 2701);                            // F-351
  refuse({{2, uuid_of(7), 0, 1, 0}, {2, uuid_of(8), 0, 1, 0}}, 2701);  // F-351
  refuse({{1, uuid_of(7), 3, 1, 0}, {2, uuid_of(7), 3, 1, 9}}, 2702);  // F-352
  Buffer body;
  Encoder(body).varint(std::uint64_t{1} << 40);
  expect_error(decode_volume_origins(body), ErrorKind::kCorrupt, 2703);  // F-002
  auto tail = encoded({{1, uuid_of(7), 0, 1, 0}});
  tail.push_back(0);
  expect_error(decode_volume_origins(tail), ErrorKind::kCorrupt, 2004);
}

}  // namespace
}  // namespace dgfs::format
