// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Slices of a view: how many points of its tables are merged for one.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "delta/store/run/run_builder.h"
#include "delta/store/snapshot/view.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr int kPoints = 5000;
constexpr std::size_t kPointsMax = 32;

std::string key_of(char prefix, int number) { return prefix + std::to_string(100000 + number); }

void add_keys(RunBuilder& builder, char prefix, int count) {
  for (int number = 0; number < count; ++number) builder.add_put(key_of(prefix, number), "value");
}

MemtableRef table_of(RunBuilder builder) {
  return std::make_shared<const ImmutableMemtable>(builder.take());
}

// The older table has the most keys, but only two of them lie among the keys of the newer one.
class SlicesOfTwoTables : public testing::Test {
 protected:
  SlicesOfTwoTables() {
    RunBuilder older;
    older.add_put("a", "value");
    older.add_put(key_of('m', kPoints / 2) + "+", "value");
    older.add_put(key_of('m', kPoints - 1) + "+", "value");
    add_keys(older, 'z', 2 * kPoints);
    RunBuilder newer;
    add_keys(newer, 'm', kPoints);
    view_ = {Node::make_empty(0),
             {table_of(std::move(older)), table_of(std::move(newer))},
             std::make_shared<const int>()};
  }
  [[nodiscard]] static std::vector<std::string> all_keys() {
    std::vector<std::string> keys = {"a", key_of('m', kPoints / 2) + "+",
                                     key_of('m', kPoints - 1) + "+"};
    for (int number = 0; number < kPoints; ++number) keys.push_back(key_of('m', number));
    for (int number = 0; number < 2 * kPoints; ++number) keys.push_back(key_of('z', number));
    std::ranges::sort(keys);
    return keys;
  }
  [[nodiscard]] KeySlice slice(const KeyEnd& key, bool before) const {
    auto made = slice_at(view_, key, before, kPointsMax, {}, {});
    EXPECT_TRUE(made);
    return made ? std::move(made).value() : KeySlice{{}, empty_run()};
  }

  TreeView view_;
};

TEST_F(SlicesOfTwoTables, NoTableHasMoreThanItsSharePutIn) {
  const auto begin = key_of('m', kPoints / 2);
  const KeySlice onward = slice(begin, false);
  EXPECT_EQ(onward.range.begin, begin);
  EXPECT_EQ(onward.range.end, KeyEnd(key_of('m', kPoints / 2 + kPointsMax)));
  EXPECT_EQ(onward.run->size(), kPointsMax + 1);
  EXPECT_TRUE(onward.is_cut_before);
  EXPECT_TRUE(onward.is_cut_behind);

  const KeySlice backward = slice(key_of('m', kPoints / 2 + 1), true);
  EXPECT_EQ(backward.range.begin, key_of('m', kPoints / 2 + 1 - kPointsMax));
  EXPECT_EQ(backward.range.end, KeyEnd(key_of('m', kPoints / 2 + 1)));
  EXPECT_EQ(backward.run->size(), kPointsMax + 1);
  EXPECT_TRUE(backward.is_cut_before);
  EXPECT_TRUE(backward.is_cut_behind);
}

TEST_F(SlicesOfTwoTables, TheLastOneEndsAtTheEndOfAllKeys) {
  const KeySlice last = slice(std::nullopt, true);
  EXPECT_EQ(last.range.begin, key_of('z', 2 * kPoints - static_cast<int>(kPointsMax)));
  EXPECT_EQ(last.range.end, std::nullopt);
  EXPECT_EQ(last.run->size(), kPointsMax);
  EXPECT_FALSE(last.is_cut_behind);
}

// Adds the keys of a slice, in order. Its run may have more than its range.
void take_keys(const KeySlice& slice, std::vector<std::string>& keys) {
  for (std::size_t at = 0; at < slice.run->size(); ++at) {
    const std::string key(slice.run->point(at).key);
    if (key >= slice.range.begin && is_before(key, slice.range.end)) keys.push_back(key);
  }
}

TEST_F(SlicesOfTwoTables, AWalkMeetsEachKeyOnce) {
  std::vector<std::string> keys;
  KeyEnd key = "";
  while (key) {
    const KeySlice next = slice(key, false);
    ASSERT_EQ(next.range.begin, *key);
    ASSERT_TRUE(is_before(*key, next.range.end)) << *key;
    ASSERT_LE(next.run->size(), 2 * kPointsMax);
    take_keys(next, keys);
    key = next.range.end;
  }
  EXPECT_EQ(keys, all_keys());
}

TEST_F(SlicesOfTwoTables, AWalkBackwardMeetsEachKeyOnce) {
  std::vector<std::string> keys;
  KeyEnd key;
  do {
    const KeySlice next = slice(key, true);
    ASSERT_EQ(next.range.end, key);
    ASSERT_TRUE(is_before(next.range.begin, key)) << next.range.begin;
    ASSERT_LE(next.run->size(), 2 * kPointsMax);
    std::vector<std::string> before;
    take_keys(next, before);
    keys.insert(keys.end(), before.rbegin(), before.rend());
    key = next.range.begin;
  } while (!key->empty());
  std::ranges::reverse(keys);
  EXPECT_EQ(keys, all_keys());
}

}  // namespace
}  // namespace dgfs::test
