// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/root.h"

#include "format/header/section.h"
#include "format/limits.h"
#include "format/page/directory_block.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

std::vector<PageRootRow> rows() {
  return {{0, "", 0, 100, 512, 5000, 9000},
          {0, std::string("a\0b\0\0c", 6), 60000, 612, 512, 14000, 8000},
          {0, std::string("a\0b\0\0cd", 7), 120000, 1124, 3, 22000, 24},
          {kLinkZone, std::string("\0\0\1", 3), 120100, 1127, 1, 22024, 100}};
}

Buffer encoded_root(const std::vector<PageRootRow>& from) {
  Buffer body;
  encode_page_root(from, body);
  return body;
}

TEST(PageRootTest, KeepsRows) {
  const auto decoded = decode_page_root(encoded_root(rows()));
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value(), rows());
}

TEST(PageRootTest, KeepsRandomRows) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    std::vector<PageRootRow> from(test::below(random, 20) + 1);
    PageRootRow next;
    next.first_page = test::below(random, 1000);
    next.offset_bytes = test::below(random, 100000);
    for (auto& row : from) {
      next.bound += static_cast<char>('a' + test::below(random, 26));
      next.zone += test::below(random, 2);
      next.page_count = static_cast<std::uint32_t>(1 + test::below(random, 512));
      next.length_bytes = static_cast<std::uint32_t>(24 + test::below(random, 10000));
      row = next;
      next.first_page += row.page_count;
      next.offset_bytes += row.length_bytes;
      next.first_ordinal += row.page_count + test::below(random, 10000);
    }
    EXPECT_EQ(decode_page_root(encoded_root(from)).value(), from);
  }
}

TEST(PageRootTest, RefusesRulesBroken) {  // F-070, F-071, F-072
  const auto refuse = [](const std::function<void(std::vector<PageRootRow>&)>& damage,
                         unsigned code) {
    auto from = rows();
    damage(from);
    const auto refused = decode_page_root(encoded_root(from));
    expect_error(refused, ErrorKind::kCorrupt, code);
    EXPECT_EQ(refused.error().section(), "page root");
  };
  refuse([](auto& r) { r[1].page_count = 0; }, 2840);
  refuse([](auto& r) { r[1].length_bytes = 23; }, 2840);
  refuse([](auto& r) { r[1].page_count = 513; }, 2003);
  refuse([](auto& r) { r[1].length_bytes = ~std::uint32_t{0}; }, 2003);
  refuse([](auto& r) { r[2].bound = r[1].bound; }, 2842);
  refuse([](auto& r) { r[2].bound = "A"; }, 2842);
  refuse([](auto& r) { r[1].zone = 1; }, 2003);  // the next row's zone is lower: its gap wraps
  refuse([](auto& r) { r[1].first_ordinal = 511; }, 2842);  // fewer entries than pages
  refuse([](auto& r) { r[1].bound = std::string(kKeyBytesMax + 1, 'x'); }, 2003);
  refuse([](auto& r) { r.resize(kPageRootBlockRows + 1, r.back()); }, 2003);
}

TEST(PageRootTest, BoundsCounts) {  // F-002
  for (const std::uint64_t count : {0U, 1U, 512U}) {
    Buffer body;
    Encoder encoder(body);
    encoder.varint(0);
    encoder.varint(0);
    encoder.varint(count);
    expect_error(decode_page_root(body), ErrorKind::kCorrupt, 2841);
  }
}

TEST(PageRootTest, RefusesEveryTruncationAndTail) {
  auto body = encoded_root(rows());
  test::expect_no_prefix_decodes(body, test::kind_of(decode_page_root));
  body.push_back(0);
  expect_error(decode_page_root(body), ErrorKind::kCorrupt, 2004);
}

}  // namespace
}  // namespace dgfs::format
