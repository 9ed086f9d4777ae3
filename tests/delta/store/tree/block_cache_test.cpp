// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/block_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace dgfs::test {
namespace {

using namespace delta;

using ValueRef = std::shared_ptr<const std::string>;

// A weak reference shows whether the cache keeps a value.
class Cached {
 public:
  Cached(BlockCache& cache, std::uint64_t offset_bytes, std::size_t bytes) {
    const ValueRef value = std::make_shared<const std::string>(std::to_string(offset_bytes));
    value_ = value;
    cache.insert(offset_bytes, value, bytes);
  }
  [[nodiscard]] bool is_kept() const { return !value_.expired(); }

 private:
  std::weak_ptr<const std::string> value_;
};

TEST(BlockCache, KeepsNoMoreThanItMay) {
  BlockCache cache(1000);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Cached entry(cache, i * 512, 300);
    EXPECT_TRUE(entry.is_kept());
    if (i % 3 == 0) cache.touch(i * 512);
    EXPECT_LE(cache.size_bytes(), 1000U);
  }
  const Cached too_large(cache, 1 << 20, 2000);
  EXPECT_FALSE(too_large.is_kept());
  EXPECT_LE(cache.size_bytes(), 1000U);
}

TEST(BlockCache, AScanLeavesWhatIsUsedAgain) {
  BlockCache cache(1000);
  const Cached hot(cache, 0, 100);
  cache.touch(0);
  for (std::uint64_t i = 1; i < 1000; ++i) static_cast<void>(Cached(cache, i * 512, 100));
  EXPECT_TRUE(hot.is_kept());
  const Cached cold(cache, 1 << 20, 100);
  for (std::uint64_t i = 1; i < 20; ++i) static_cast<void>(Cached(cache, i * 512, 100));
  EXPECT_FALSE(cold.is_kept());
}

// An entry that was hot once does not stay for ever.
TEST(BlockCache, WhatIsProtectedMakesRoomForOthersThatAre) {
  BlockCache cache(1000);
  const Cached first(cache, 0, 100);
  cache.touch(0);
  for (std::uint64_t i = 1; i < 20; ++i) {
    static_cast<void>(Cached(cache, i * 512, 100));
    cache.touch(i * 512);
  }
  EXPECT_FALSE(first.is_kept());
}

TEST(BlockCache, OthersOfItsPoolTakeWhatIsUsedOnce) {
  const auto pool = std::make_shared<CachePool>(1000);
  BlockCache cache(1000, nullptr, pool);
  BlockCache other(1000, nullptr, pool);
  const Cached hot(cache, 0, 100);
  cache.touch(0);
  for (std::uint64_t i = 1; i < 10; ++i) static_cast<void>(Cached(cache, i * 512, 100));
  EXPECT_EQ(pool->bytes(), 1000U);
  for (std::uint64_t i = 1; i < 6; ++i) static_cast<void>(Cached(other, i * 512, 100));
  EXPECT_EQ(pool->bytes(), 1000U);
  EXPECT_EQ(cache.size_bytes() + other.size_bytes(), 1000U);
  EXPECT_GE(other.size_bytes(), 300U);
  EXPECT_TRUE(hot.is_kept());
  other.erase(5 * 512);
  EXPECT_EQ(pool->bytes(), 900U);
}

TEST(BlockCache, WhatItsStoreHoldsLeavesThePoolLess) {
  const auto pool = std::make_shared<CachePool>(1000);
  BlockCache of_another(1000, nullptr, pool);
  for (std::uint64_t i = 0; i < 10; ++i) static_cast<void>(Cached(of_another, i * 512, 100));
  {
    MemoryBudget budget(2000, pool);
    BlockCache cache(1000, &budget, pool);
    budget.note(MemoryBudget::Holder::kTables, 300);
    const MemoryBudget::Share in_hand(budget, 200);
    cache.shrink();
    EXPECT_EQ(of_another.size_bytes(), 500U);
    EXPECT_EQ(pool->bytes(), 1000U);
  }
  EXPECT_EQ(pool->bytes(), 500U) << "a closed store keeps nothing in the pool";
}

TEST(BlockCache, KeepsWhatOthersLeaveOfTheBudget) {
  MemoryBudget budget(2000);
  BlockCache cache(1000, &budget);
  const auto fill = [&] {
    for (std::uint64_t i = 0; i < 20; ++i) static_cast<void>(Cached(cache, i * 512, 100));
  };
  fill();
  EXPECT_EQ(cache.size_bytes(), 1000U);
  budget.note(MemoryBudget::Holder::kTables, 1400);
  cache.shrink();
  EXPECT_EQ(cache.size_bytes(), 600U);
  {
    const MemoryBudget::Share in_hand(budget, 300);
    fill();
    EXPECT_EQ(cache.size_bytes(), 300U);
    budget.note(MemoryBudget::Holder::kTree, 5000);
    cache.shrink();
    EXPECT_EQ(cache.size_bytes(), 200U);  // an eighth, rounded down to whole entries
  }
  budget.note(MemoryBudget::Holder::kTree, 0);
  budget.note(MemoryBudget::Holder::kTables, 0);
  fill();
  EXPECT_EQ(cache.size_bytes(), 1000U);
}

// Otherwise the next entry would be the first to go, until another one is used again.
TEST(BlockCache, WhatIsProtectedLeavesRoomWhereItShrinks) {
  MemoryBudget budget(2000);
  BlockCache cache(1000, &budget);
  for (std::uint64_t i = 0; i < 8; ++i) {
    static_cast<void>(Cached(cache, i * 512, 100));
    cache.touch(i * 512);
  }
  budget.note(MemoryBudget::Holder::kTables, 1500);
  cache.shrink();
  EXPECT_EQ(cache.size_bytes(), 500U);
  const Cached next(cache, 1 << 20, 100);
  EXPECT_TRUE(next.is_kept());
}

TEST(BlockCache, ErasesAndReplaces) {
  BlockCache cache(1000);
  const Cached old(cache, 512, 400);
  const Cached replacement(cache, 512, 300);
  EXPECT_FALSE(old.is_kept());
  EXPECT_EQ(cache.size_bytes(), 300U);
  cache.touch(512);
  cache.erase(512);
  EXPECT_FALSE(replacement.is_kept());
  EXPECT_EQ(cache.size_bytes(), 0U);
  cache.erase(512);
  cache.touch(512);
}

}  // namespace
}  // namespace dgfs::test
