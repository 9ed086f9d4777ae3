// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/range_tombstones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kKeys = 40;

std::string key_of(std::uint64_t number) { return {static_cast<char>('0' + number)}; }

KeyRange random_range(Random& random) {
  KeyRange range{key_of(random.below(kKeys)), std::nullopt};
  if (!random.one_in(20)) range.end = key_of(random.below(kKeys));
  return range;
}

// The covered keys, one by one; keys above all tested ones stand for the end of all keys.
using Model = std::set<std::string>;

void expect_same(const RangeTombstones& tombstones, const Model& model) {
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_EQ(tombstones.covers(key_of(i)), model.contains(key_of(i))) << i;
  }
  KeyEnd last = "";
  for (const auto& [begin, end] : tombstones) {
    ASSERT_TRUE(ends_before(last, KeyEnd(begin)) || (last && last->empty()))
        << "these tombstones touch";
    ASSERT_FALSE((KeyRange{begin, end}.empty()));
    last = end;
  }
}

TEST(RangeTombstones, CoverWhatWasAdded) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    RangeTombstones tombstones;
    Model model;
    for (auto count = random.below(12); count > 0; --count) {
      const auto range = random_range(random);
      tombstones.add(range);
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        if (range.contains(key_of(i))) model.insert(key_of(i));
      }
      expect_same(tombstones, model);
    }
    const auto bounds = random_range(random);
    Model part;
    for (const auto& key : model) {
      if (bounds.contains(key)) part.insert(key);
    }
    expect_same(tombstones.clipped(bounds), part);
    const bool some_at_the_end = !bounds.end && tombstones.covers("~");
    EXPECT_EQ(tombstones.overlaps(bounds), !part.empty() || some_at_the_end);
    bool all = true;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      all &= !bounds.contains(key_of(i)) || model.contains(key_of(i));
    }
    const bool reaches_the_end = bounds.end || bounds.empty() || tombstones.covers("~");
    EXPECT_EQ(tombstones.covers(bounds), all && reaches_the_end);
  }
}

TEST(RangeTombstones, ThatTouchAreOne) {
  RangeTombstones tombstones;
  for (int i = 0; i < 1000; ++i) {
    const auto name = [](int number) { return "key" + std::to_string(10000 + number); };
    tombstones.add({name(i), name(i + 1)});
  }
  ASSERT_EQ(tombstones.size(), 1U);
  tombstones.add({"a", std::nullopt});
  ASSERT_EQ(tombstones.size(), 1U);
  EXPECT_EQ(tombstones.begin()->first, "a");
  EXPECT_EQ(tombstones.begin()->second, std::nullopt);
}

TEST(RangeTombstones, AnEmptyRangeIsNone) {
  RangeTombstones tombstones;
  tombstones.add({"b", "b"});
  tombstones.add({"b", "a"});
  EXPECT_TRUE(tombstones.empty());
  EXPECT_TRUE(tombstones.covers(KeyRange{"b", "a"}));
  EXPECT_EQ(tombstones.size_bytes(), 0U);
}

// The shortest time of several attempts at a thousand lookups.
std::chrono::nanoseconds lookup_time(int count) {
  RangeTombstones tombstones;
  const auto key = [](int number) { return std::to_string(1'000'000 + number); };
  for (int i = 0; i < count; ++i) tombstones.add({key(3 * i), key(3 * i + 1)});
  EXPECT_EQ(tombstones.size(), static_cast<std::size_t>(count));
  auto shortest = std::chrono::nanoseconds::max();
  for (int attempt = 0; attempt < 5; ++attempt) {
    int covered = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
      covered += tombstones.covers(key(3 * (count / 1000 * i))) ? 1 : 0;
    }
    shortest =
        std::min<std::chrono::nanoseconds>(shortest, std::chrono::steady_clock::now() - begin);
    EXPECT_EQ(covered, 1000);
  }
  return shortest;
}

// A search of all tombstones would always take a hundred times as long. Cold caches and a busy
// machine sometimes cause a small factor.
TEST(RangeTombstones, AHundredThousandAreSearchedAboutAsFastAsAThousand) {
  bool is_fast = false;
  for (int attempt = 0; attempt < 20 && !is_fast; ++attempt) {
    is_fast = lookup_time(100'000) < 25 * lookup_time(1000);
  }
  EXPECT_TRUE(is_fast);
}

TEST(KeyRange, OfAPrefixHasTheKeysThatBeginWithIt) {
  EXPECT_EQ(prefix_range("ab"), (KeyRange{"ab", "ac"}));
  EXPECT_EQ(prefix_range(""), (KeyRange{"", std::nullopt}));
  EXPECT_EQ(prefix_range("a\xff\xff"), (KeyRange{"a\xff\xff", "b"}));
  EXPECT_EQ(prefix_range("\xff"), (KeyRange{"\xff", std::nullopt}));
  EXPECT_EQ(prefix_range("a\x7f"), (KeyRange{"a\x7f", "a\x80"}));
}

}  // namespace
}  // namespace dgfs::test
