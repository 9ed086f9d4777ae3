// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The table of a filter: a decoded table equals the encoded one, and decoding checks each rule.
#include "delta/store/filter/filter_table.h"

#include <gtest/gtest.h>

#include <functional>

namespace dgfs::test {
namespace {

using namespace delta;

const OlderObjects kOlder(1000);

FilterTable example() {
  FilterTable table;
  table.stages = {{32, 32, {4096, 64, 1}}, {64, 64, {512, 128, 2}}, {4096, 7, {8192, 8192, 3}}};
  table.ranges = {{{0, 3}, {1, 4}}, {{2, 0}, {2, 999}}};
  return table;
}

void expect_refused(const char* text, const std::function<void(FilterTable&)>& change) {
  auto table = example();
  change(table);
  const auto decoded = decode_filter_table(encode_filter_table(table), kOlder);
  ASSERT_FALSE(decoded) << text;
  EXPECT_EQ(decoded.error().kind(), ErrorKind::kCorrupt);
  EXPECT_NE(decoded.error().message().find(text), std::string::npos) << decoded.error().message();
}

TEST(FilterTable, IsDecodedAsItWasEncoded) {
  for (const auto& table : {FilterTable(), example()}) {
    const auto decoded = decode_filter_table(encode_filter_table(table), kOlder);
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value(), table);
  }
}

TEST(FilterTable, IsNoLongerThanItMayBe) {
  FilterTable table;
  table.stages.assign(64, {FilterStage::kCapacityMax,
                           FilterStage::kCapacityMax,
                           {UINT64_MAX / 1024 * 512, kBlockBytesMax, UINT64_MAX}});
  table.ranges.resize(PrefixRanges::kRangesMax);
  EXPECT_LE(encode_filter_table(table).size(), FilterTable::kBytesMax);
}

TEST(FilterTable, KeepsItsRules) {
  expect_refused("an impossible size", [](auto& table) { table.stages[0].capacity = 33; });
  expect_refused("an impossible size", [](auto& table) { table.stages[0].capacity = 0; });
  expect_refused("an impossible size", [](auto& table) { table.stages[0].capacity = 1 << 23; });
  expect_refused("an impossible size", [](auto& table) { ++table.stages[1].place.length_bytes; });
  expect_refused("a wrong number", [](auto& table) { table.stages[0].count = 31; });
  expect_refused("a wrong number", [](auto& table) { table.stages[2].count = 0; });
  expect_refused("a wrong number", [](auto& table) { table.stages[2].count = 4097; });
  expect_refused("stages of the filter overlap", [](auto& table) {
    table.stages[0].place = {8192 + 4096, 64, 1};
  });
  expect_refused("out of order", [](auto& table) { table.ranges[1].first = {1, 5}; });
  expect_refused("out of order", [](auto& table) { table.ranges[1].last.object = 1000; });
  expect_refused("", [](auto& table) { table.stages.resize(65, table.stages[0]); });
  expect_refused("", [](auto& table) { table.ranges.resize(1025); });
  auto bytes = encode_filter_table(example());
  EXPECT_FALSE(decode_filter_table(bytes, OlderObjects(0)));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_filter_table(Bytes(bytes).first(length), kOlder));
  }
  bytes.push_back(0);
  EXPECT_FALSE(decode_filter_table(bytes, kOlder));
}

}  // namespace
}  // namespace dgfs::test
