// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/shared_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <thread>
#include <vector>

#include "storage/mix.h"

namespace dgfs::test {
namespace {

using Cache = reader::SharedCache<int, int, std::hash<int>>;
using Loaded = Result<Cache::Loaded>;

constexpr std::size_t kBudgetBytes = 2000;  // one shard

Cache::Loaded loaded_value(int value, std::size_t bytes) {
  return {std::make_shared<const int>(value), bytes};
}

TEST(SharedCache, ReplacesWhatIsThereAndNothingElse) {
  Cache cache(kBudgetBytes, 4);
  cache.replace(1, loaded_value(10, 100));
  EXPECT_EQ(cache.find(1), nullptr);
  cache.put(1, loaded_value(10, 100));
  const auto before = cache.find(1);
  const auto bytes = cache.counters().bytes;
  cache.replace(1, loaded_value(11, 300));
  EXPECT_EQ(*cache.find(1), 11);
  EXPECT_EQ(*before, 10) << "a holder of the old value keeps it";
  EXPECT_EQ(cache.counters().bytes, bytes + 200);
  EXPECT_EQ(cache.counters().evictions, 0u);
}

TEST(SharedCache, AReplacementMakesRoomForItself) {
  Cache cache(kBudgetBytes, 4);
  for (int i = 0; i < 4; ++i) cache.put(i, loaded_value(i, 300));
  cache.replace(0, loaded_value(0, 1000));
  EXPECT_NE(cache.find(0), nullptr);
  EXPECT_EQ(cache.find(1), nullptr) << "the least recently used value goes";
  EXPECT_LE(cache.counters().bytes, kBudgetBytes);
  cache.replace(0, loaded_value(0, 2 * kBudgetBytes));
  EXPECT_EQ(cache.find(0), nullptr) << "a value larger than the cache is not kept";
  EXPECT_LE(cache.counters().bytes, kBudgetBytes);
}

/// Room for `values` small values in a cache of one shard.
constexpr std::size_t kValueBytes = 128 + 8;  // with the cache's own part
std::size_t room_for(std::size_t values) { return values * kValueBytes; }

bool has(Cache& cache, int key) {
  bool loaded = false;
  static_cast<void>(cache.get(key, [&]() -> Loaded {
    loaded = true;
    return loaded_value(key, 8);
  }));
  return !loaded;
}

TEST(SharedCache, AFullOneWithAWindowKeepsWhatIsMissedTwice) {
  Cache cache(room_for(100), 1, 100);
  for (int key = 0; key < 100; ++key) EXPECT_FALSE(has(cache, key)) << "the cache is not full yet";
  for (int key = 0; key < 100; ++key) EXPECT_TRUE(has(cache, key));
  EXPECT_FALSE(has(cache, 200));
  EXPECT_FALSE(has(cache, 201));
  for (int key = 2; key < 100; ++key) EXPECT_TRUE(has(cache, key)) << key;
  EXPECT_FALSE(has(cache, 200)) << "the second miss admits the key";
  EXPECT_FALSE(has(cache, 202));
  EXPECT_TRUE(has(cache, 200)) << "kept";
  EXPECT_LE(cache.counters().bytes, room_for(100));
  EXPECT_LE(cache.counters().evictions, 2U);
}

TEST(SharedCache, WhatWasRefusedLastIsAtHand) {
  Cache cache(room_for(10), 1, 10);
  for (int key = 0; key < 10; ++key) EXPECT_FALSE(has(cache, key));
  EXPECT_FALSE(has(cache, 20));
  EXPECT_TRUE(has(cache, 20));
  EXPECT_TRUE(has(cache, 20));
  EXPECT_FALSE(has(cache, 21));
  EXPECT_LE(cache.counters().bytes, room_for(10));
  cache.replace(21, loaded_value(-21, 8));
  EXPECT_FALSE(has(cache, 22));
  EXPECT_EQ(*cache.find(21), -21) << "a replaced value has proved useful, so it stays";
  EXPECT_LE(cache.counters().bytes, room_for(10));
}

TEST(SharedCache, DropsWhatItIsToldTo) {
  Cache cache(room_for(10), 1, 10);
  for (int key = 0; key < 10; ++key) EXPECT_FALSE(has(cache, key));
  EXPECT_FALSE(has(cache, 21));
  EXPECT_TRUE(has(cache, 21)) << "the value that was refused last is at hand";
  const auto evictions = cache.counters().evictions;
  cache.drop([](int key) { return key % 2 == 1; });
  EXPECT_EQ(cache.counters().evictions, evictions);
  EXPECT_LE(cache.counters().bytes, room_for(5));
  EXPECT_EQ(cache.find(21), nullptr);
  int found = 0;
  for (int key = 0; key < 10; ++key) {
    if (cache.find(key) == nullptr) continue;
    EXPECT_EQ(key % 2, 0);
    ++found;
  }
  EXPECT_GE(found, 4) << "at most one value went for the refused one";
  for (int key = 30; key < 34; ++key) EXPECT_FALSE(has(cache, key));
  for (int key = 30; key < 34; ++key) EXPECT_TRUE(has(cache, key)) << "dropping made room";
}

TEST(SharedCache, OthersOfItsPoolTakeWhatItUsesLeast) {
  const auto pool = std::make_shared<CachePool>(room_for(10));
  Cache cache(room_for(10), 1, 0, pool);
  Cache other(room_for(10), 1, 0, pool);
  for (int key = 0; key < 10; ++key) EXPECT_FALSE(has(cache, key));
  EXPECT_TRUE(has(cache, 0)) << "this key is used again";
  for (int key = 0; key < 3; ++key) EXPECT_FALSE(has(other, key));
  EXPECT_LE(pool->bytes(), room_for(10));
  EXPECT_EQ(cache.counters().bytes + other.counters().bytes, pool->bytes());
  EXPECT_EQ(cache.counters().bytes, room_for(8)) << "the other cache gave up one value, too";
  EXPECT_TRUE(has(cache, 0));
  EXPECT_EQ(cache.find(1), nullptr);
  cache.drop([](int) { return true; });
  EXPECT_EQ(pool->bytes(), other.counters().bytes);
}

TEST(SharedCache, OneWithAWindowLetsNobodyInByChanceWhereThePoolIsFull) {
  const auto pool = std::make_shared<CachePool>(room_for(10));
  Cache other(room_for(10), 1, 0, pool);
  for (int key = 0; key < 9; ++key) EXPECT_FALSE(has(other, key));
  Cache cache(room_for(10), 1, 10, pool);
  EXPECT_FALSE(has(cache, 20));
  EXPECT_FALSE(has(cache, 21)) << "the pool is full, so the key is not admitted";
  EXPECT_FALSE(has(cache, 22));
  EXPECT_FALSE(has(cache, 21)) << "the second miss admits the key";
  EXPECT_FALSE(has(cache, 23));
  EXPECT_TRUE(has(cache, 21)) << "kept";
}

TEST(SharedCache, OneValueMayBeTheWholeCache) {
  Cache cache(room_for(2), 1, 10);
  const auto large = [](int key) { return [key] { return Loaded(loaded_value(key, 8)); }; };
  for (int round = 0; round < 3; ++round) {
    for (int key = 0; key < 3; ++key) {
      EXPECT_EQ(*cache.get(key, large(key)).value(), key);
      EXPECT_EQ(*cache.get(9, [] { return Loaded(loaded_value(9, room_for(2) - 128)); }).value(),
                9);
      EXPECT_LE(cache.counters().bytes, room_for(2));
    }
  }
}

/// Counters after 200,000 gets of keys that `draw` makes from random numbers, with and without a
/// window.
struct Comparison {
  reader::CacheCounters windowed;
  reader::CacheCounters plain;
};
template <class Draw>
Comparison compare(const Draw& draw) {
  Cache windowed(room_for(1000), 1, 1000);
  Cache plain(room_for(1000), 1);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const int key = draw(i, storage::mix(1, i));
    has(windowed, key);
    has(plain, key);
  }
  return {windowed.counters(), plain.counters()};
}

/// One of 10,000 keys; the chance of the n-th key is proportional to 1 / n.
int zipf_key(std::uint64_t random) {
  static const auto sums = [] {
    std::vector<double> made;
    double sum = 0;
    for (int place = 1; place <= 10'000; ++place) made.push_back(sum += 1.0 / place);
    return made;
  }();
  const auto at = static_cast<double>(random >> 11) * 0x1p-53 * sums.back();
  return static_cast<int>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
}

TEST(SharedCache, AWindowFindsNoLessOfWhatIsUsedUnevenly) {
  const auto zipf = compare([](auto, std::uint64_t random) { return zipf_key(random); });
  EXPECT_GT(zipf.windowed.hits, zipf.plain.hits);
  EXPECT_LT(zipf.windowed.evictions, zipf.plain.evictions / 2);
  // The popular keys change every 20,000 gets.
  const auto moving = compare([](std::uint64_t i, std::uint64_t random) {
    return zipf_key(random) + static_cast<int>(i / 20'000 * 3'000);
  });
  EXPECT_GT(moving.windowed.hits, moving.plain.hits * 97 / 100)
      << "with a window, each key must be missed twice";
  // Half of the gets read a list from one end to the other.
  const auto scanned = compare([](std::uint64_t i, std::uint64_t random) {
    return i % 2 == 0 ? zipf_key(random) : static_cast<int>(100'000 + i);
  });
  EXPECT_GT(scanned.windowed.hits, scanned.plain.hits * 11 / 10);
}

TEST(SharedCache, AWindowSparesKeepingWhatIsUsedEvenly) {
  const auto even =
      compare([](auto, std::uint64_t random) { return static_cast<int>(random % 4000); });
  EXPECT_GT(even.windowed.hits, even.plain.hits * 98 / 100);
  EXPECT_LT(even.windowed.evictions, even.plain.evictions / 2);
}

TEST(SharedCache, WhatIsThereIsNotReplacedByPutting) {
  Cache cache(room_for(2), 1, 10);
  for (const int value : {10, 11}) cache.put(1, loaded_value(value, 8));
  EXPECT_EQ(*cache.find(1), 10);
  cache.put(2, loaded_value(20, 8));
  // The second value is refused, and at hand.
  for (const int value : {30, 31}) cache.put(3, loaded_value(value, 8));
  EXPECT_EQ(*cache.find(3), 30);
  EXPECT_LE(cache.counters().bytes, room_for(2));
}

TEST(SharedCache, AnErrorIsNotKept) {
  Cache cache(1000, 1);
  const auto failed = cache.get(1, []() -> Loaded { return Error(ErrorKind::kIo, 1, "no"); });
  EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);
  EXPECT_EQ(*cache.get(1, [] { return Loaded(loaded_value(3, 4)); }).value(), 3);
}

TEST(SharedCache, ALoadThatThrowsLeavesNobodyWaiting) {
  Cache cache(1000, 1);
  std::atomic<bool> begun = false;
  int thrown = 0;
  std::thread waiting([&] {
    while (!begun) std::this_thread::yield();
    // Waits for the load below; if that is over, this thread loads the value itself.
    try {
      EXPECT_EQ(*cache.get(1, [] { return Loaded(loaded_value(3, 4)); }).value(), 3);
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
  EXPECT_EQ(*cache.get(1, [] { return Loaded(loaded_value(4, 4)); }).value(), 4);
}

TEST(SharedCache, ALoadThatThrowsWithNobodyWaitingIsForgotten) {
  Cache cache(1000, 1);
  const auto load = []() -> Loaded { throw std::bad_alloc(); };
  EXPECT_THROW(static_cast<void>(cache.get(1, load)), std::bad_alloc);
  EXPECT_EQ(*cache.get(1, [] { return Loaded(loaded_value(4, 4)); }).value(), 4);
}

TEST(SharedCache, AllWhoWaitGetWhatWasLoadedOnce) {
  Cache cache(1000, 1);
  std::atomic<bool> begun = false;
  std::atomic<int> right = 0;
  const auto wait = [&] {
    while (!begun) std::this_thread::yield();
    const auto got = cache.get(1, [] { return Loaded(loaded_value(-1, 4)); });
    if (*got.value() == 3) ++right;
  };
  std::thread first(wait);
  std::thread second(wait);
  const auto load = [&]() -> Loaded {
    begun = true;
    while (cache.counters().hits < 2) std::this_thread::yield();
    return loaded_value(3, 4);
  };
  EXPECT_EQ(*cache.get(1, load).value(), 3);
  first.join();
  second.join();
  EXPECT_EQ(right, 2);
}

}  // namespace
}  // namespace dgfs::test
