// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/shared_cache.h"

#include <gtest/gtest.h>

#include <functional>

namespace dgfs::test {
namespace {

using Cache = reader::SharedCache<int, int, std::hash<int>>;

constexpr std::size_t kBudgetBytes = 2000;  // one shard

Cache::Loaded value_of(int value, std::size_t bytes) {
  return {std::make_shared<const int>(value), bytes};
}

TEST(SharedCache, ReplacesWhatIsThereAndNothingElse) {
  Cache cache(kBudgetBytes, 4);
  cache.replace(1, value_of(10, 100));
  EXPECT_EQ(cache.find(1), nullptr);
  cache.put(1, value_of(10, 100));
  const auto before = cache.find(1);
  const auto bytes = cache.counters().bytes;
  cache.replace(1, value_of(11, 300));
  EXPECT_EQ(*cache.find(1), 11);
  EXPECT_EQ(*before, 10) << "who has the old one keeps it";
  EXPECT_EQ(cache.counters().bytes, bytes + 200);
  EXPECT_EQ(cache.counters().evictions, 0u);
}

TEST(SharedCache, AReplacementMakesRoomForItself) {
  Cache cache(kBudgetBytes, 4);
  for (int i = 0; i < 4; ++i) cache.put(i, value_of(i, 300));
  cache.replace(0, value_of(0, 1000));
  EXPECT_NE(cache.find(0), nullptr);
  EXPECT_EQ(cache.find(1), nullptr) << "the least recently used";
  EXPECT_LE(cache.counters().bytes, kBudgetBytes);
  cache.replace(0, value_of(0, 2 * kBudgetBytes));
  EXPECT_EQ(cache.find(0), nullptr) << "larger than the cache";
  EXPECT_LE(cache.counters().bytes, kBudgetBytes);
}

}  // namespace
}  // namespace dgfs::test
