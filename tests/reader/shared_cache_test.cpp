// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/shared_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <thread>

namespace dgfs::test {
namespace {

using Cache = reader::SharedCache<int, int, std::hash<int>>;
using Loaded = Result<Cache::Loaded>;

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

TEST(SharedCache, AnErrorIsNotKept) {
  Cache cache(1000, 1);
  const auto failed = cache.get(1, []() -> Loaded { return Error(ErrorKind::kIo, 1, "no"); });
  EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);
  EXPECT_EQ(*cache.get(1, [] { return Loaded(value_of(3, 4)); }).value(), 3);
}

TEST(SharedCache, ALoadThatThrowsLeavesNobodyWaiting) {
  Cache cache(1000, 1);
  std::atomic<bool> begun = false;
  int thrown = 0;
  std::thread waiting([&] {
    while (!begun) std::this_thread::yield();
    // Waits for the load below, or finds nothing and makes its own.
    try {
      EXPECT_EQ(*cache.get(1, [] { return Loaded(value_of(3, 4)); }).value(), 3);
    } catch (const std::bad_alloc&) {
      ++thrown;
    }
  });
  EXPECT_THROW(static_cast<void>(cache.get(1,
                                           [&]() -> Loaded {
                                             begun = true;
                                             while (cache.counters().hits == 0) {
                                               std::this_thread::yield();
                                             }
                                             throw std::bad_alloc();
                                           })),
               std::bad_alloc);
  waiting.join();
  EXPECT_EQ(thrown, 1);
  EXPECT_EQ(*cache.get(1, [] { return Loaded(value_of(4, 4)); }).value(), 4);
}

}  // namespace
}  // namespace dgfs::test
