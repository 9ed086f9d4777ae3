// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/cache_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace dgfs::test {
namespace {

constexpr std::size_t kPoolBytes = 10'000;

// A cache that only counts its bytes.
class Cache {
 public:
  explicit Cache(std::shared_ptr<CachePool> pool)
      : share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {}

  void put(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      share_.change(bytes_, bytes_ + bytes);
      bytes_ += bytes;
    }
    share_.settle();
  }
  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }
  [[nodiscard]] const CachePool::Share& share() const { return share_; }

 private:
  std::size_t give_up(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto freed = std::min(bytes, bytes_);
    share_.change(bytes_, bytes_ - freed);
    bytes_ -= freed;
    return freed;
  }

  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  CachePool::Share share_;
};

std::shared_ptr<CachePool> make_pool() { return std::make_shared<CachePool>(kPoolBytes); }

TEST(CachePool, OneCacheMayHaveAllOfIt) {
  const auto pool = make_pool();
  Cache alone(pool);
  const Cache idle(pool);
  for (int i = 0; i < 200; ++i) alone.put(100);
  EXPECT_EQ(alone.bytes(), kPoolBytes);
  EXPECT_EQ(pool->bytes(), kPoolBytes);
  EXPECT_TRUE(idle.share().has_room(0));
  EXPECT_FALSE(idle.share().has_room(1));
}

TEST(CachePool, ACacheThatNobodyUsesMakesRoomForOthers) {
  const auto pool = make_pool();
  Cache idle(pool);
  idle.put(kPoolBytes);
  Cache busy(pool);
  for (int i = 0; i < 50; ++i) busy.put(100);
  EXPECT_GE(busy.bytes(), kPoolBytes / 4);
  EXPECT_GE(idle.bytes(), kPoolBytes / 4) << "each cache gives up bytes in proportion to its size";
  for (int i = 0; i < 1000; ++i) busy.put(100);
  EXPECT_GE(busy.bytes(), kPoolBytes * 98 / 100);
  EXPECT_EQ(pool->bytes(), busy.bytes() + idle.bytes());
}

TEST(CachePool, CachesThatAreAskedForTheSameHaveTheSame) {
  const auto pool = make_pool();
  Cache first(pool);
  Cache second(pool);
  first.put(kPoolBytes);
  for (int i = 0; i < 2000; ++i) {
    first.put(50);
    second.put(50);
  }
  EXPECT_NEAR(static_cast<double>(first.bytes()), kPoolBytes / 2.0, kPoolBytes / 10.0);
}

TEST(CachePool, WhatIsHeldBesideLeavesCachesLess) {
  const auto pool = make_pool();
  Cache cache(pool);
  cache.put(kPoolBytes);
  pool->note_held(0, 3000);
  pool->settle();
  EXPECT_EQ(cache.bytes(), kPoolBytes - 3000);
  pool->note_held(3000, kPoolBytes + 1);
  pool->settle();
  EXPECT_EQ(cache.bytes(), 0U);
  cache.put(10);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(CachePool, ACacheThatEndsLeavesAllThatItHad) {
  const auto pool = make_pool();
  Cache stays(pool);
  {
    Cache ends(pool);
    ends.put(kPoolBytes / 2);
    stays.put(kPoolBytes / 2);
  }
  EXPECT_EQ(pool->bytes(), kPoolBytes / 2);
  stays.put(kPoolBytes / 2);
  EXPECT_EQ(stays.bytes(), kPoolBytes);
}

TEST(CachePool, WithoutAPoolACacheIsBoundByNothing) {
  Cache cache(nullptr);
  cache.put(10 * kPoolBytes);
  EXPECT_EQ(cache.bytes(), 10 * kPoolBytes);
  EXPECT_TRUE(cache.share().has_room(kPoolBytes));
}

TEST(CachePool, ThreadsKeepItWithinItsBudgetButForWhatTheyHaveInHand) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kPut = 100;
  const auto pool = make_pool();
  std::atomic<std::size_t> most = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        Cache cache(pool);
        for (int k = 0; k < 2000; ++k) {
          cache.put(kPut);
          most = std::max(most.load(), pool->bytes());
        }
      });
    }
  }
  EXPECT_EQ(pool->bytes(), 0U);
  EXPECT_LE(most, 2 * kPoolBytes);
}

}  // namespace
}  // namespace dgfs::test
