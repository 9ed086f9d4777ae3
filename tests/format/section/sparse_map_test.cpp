// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/sparse_map.h"

#include "format/limits.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

/// The map of a file in which byte i is data if is_data[i] is true.
SparseMap map_of(const std::vector<bool>& is_data) {
  SparseMap map;
  for (std::size_t i = 0; i < is_data.size();) {
    auto end = i;
    while (end < is_data.size() && is_data[end]) ++end;
    if (end > i) map.add(i, end - i);
    i = end + 1;
  }
  return map;
}

Buffer varints(const std::vector<std::uint64_t>& values) {
  Buffer body;
  for (const auto value : values) Encoder(body).varint(value);
  return body;
}

std::vector<bool> random_file(test::Random& random) {
  std::vector<bool> is_data(test::below(random, 300));
  bool data = false;
  for (std::size_t i = 0; i < is_data.size(); ++i) {
    if (test::below(random, 8) == 0) data = !data;
    is_data[i] = data;
  }
  return is_data;
}

TEST(SparseMapTest, AgreesWithAByteMap) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto is_data = random_file(random);
    Buffer body;
    map_of(is_data).encode(body);
    const auto decoded = SparseMap::decode(body, is_data.size());
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value(), map_of(is_data));
    std::uint64_t content = 0;
    for (std::size_t i = 0; i < is_data.size(); ++i) {
      const auto& segments = decoded.value().segments();
      const auto at = decoded.value().find(i);
      const bool inside = at < segments.size() && segments[at].begin <= i;
      ASSERT_EQ(inside, is_data[i]) << "byte " << i;
      if (inside) {
        EXPECT_EQ(segments[at].content + (i - segments[at].begin), content++);
      }
    }
    EXPECT_EQ(decoded.value().content_bytes(), content);
    EXPECT_EQ(decoded.value().find(is_data.size()), decoded.value().segments().size());
  }
}

TEST(SparseMapTest, HoldsAFileWithoutData) {
  Buffer body;
  SparseMap().encode(body);
  const auto decoded = SparseMap::decode(body, kFileBytesMax);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded.value().content_bytes(), 0U);
  EXPECT_EQ(decoded.value().find(0), 0U);
}

TEST(SparseMapTest, HoldsAFileWithoutHoles) {
  const auto whole = SparseMap::whole(3);
  EXPECT_EQ(whole, map_of({true, true, true}));
  EXPECT_EQ(whole.content_bytes(), 3);
  EXPECT_EQ(SparseMap::whole(0), SparseMap());
}

TEST(SparseMapTest, RefusesRulesBroken) {  // F-081, F-082
  const auto refuse = [](const std::vector<std::uint64_t>& values, unsigned code) {
    const auto refused = SparseMap::decode(varints(values), 100);
    expect_error(refused, ErrorKind::kCorrupt, code);
    EXPECT_EQ(refused.error().section(), "sparse maps");
  };
  constexpr auto kMax = ~std::uint64_t{0};
  refuse({1, 5, 0}, 2761);        // empty
  refuse({2, 5, 1, 0, 1}, 2761);  // touching
  refuse({1, 100, 1}, 2762);      // behind the end
  refuse({1, 0, 101}, 2762);
  refuse({1, kMax, 1}, 2762);
  refuse({1, 1, kMax}, 2762);
  refuse({2, 0, 60, 1, 40}, 2762);
  refuse({2, 0, 60, kMax - 50, 1}, 2762);
  refuse({1, 0, 1, 0}, 2004);  // bytes left over
  ASSERT_TRUE(SparseMap::decode(varints({1, 0, 100}), 100));
  ASSERT_TRUE(SparseMap::decode(varints({1, 99, 1}), 100));
}

TEST(SparseMapTest, BoundsCounts) {  // F-002, F-080
  expect_error(SparseMap::decode(varints({std::uint64_t{1} << 60}), 100), ErrorKind::kCorrupt,
               2760);
  Buffer body = varints({kSparseSegmentsMax + 1});
  body.resize(body.size() + 2 * (kSparseSegmentsMax + 1), 1);
  expect_error(SparseMap::decode(body, kFileBytesMax), ErrorKind::kLimit, 2763);
}

TEST(SparseMapTest, RefusesEveryTruncation) {
  test::Random random(7);
  Buffer body;
  map_of(random_file(random)).encode(body);
  test::expect_no_prefix_decodes(
      body, test::kind_of([](Bytes bytes) { return SparseMap::decode(bytes, 300); }));
}

}  // namespace
}  // namespace dgfs::format
