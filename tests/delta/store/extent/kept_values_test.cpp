// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/kept_values.h"

#include <gtest/gtest.h>

#include <vector>

namespace dgfs::test {
namespace {

using namespace delta;

TEST(KeptValues, TakeNoMoreThanTheyMayAndTheOldestGo) {
  KeptValues kept(1000);
  std::vector<std::weak_ptr<const std::string>> values;
  for (int i = 0; i < 50; ++i) {
    const auto value = std::make_shared<const std::string>(300, 'v');
    values.emplace_back(value);
    kept.keep(value);
    EXPECT_LE(kept.size_bytes(), 1000U);
    for (int j = 0; j <= i; ++j) {
      EXPECT_EQ(values[static_cast<std::size_t>(j)].expired(), j + 3 <= i) << j << " of " << i;
    }
  }
}

TEST(KeptValues, OthersOfTheirPoolTakeTheOldest) {
  const auto pool = std::make_shared<CachePool>(1000);
  KeptValues kept(1000, pool);
  const auto first = std::make_shared<const std::string>(400, 'v');
  const auto second = std::make_shared<const std::string>(400, 'v');
  kept.keep(first);
  kept.keep(second);
  pool->note_held(0, 500);
  pool->settle();
  EXPECT_EQ(kept.size_bytes(), 400U);
  EXPECT_EQ(first.use_count(), 1);
  EXPECT_EQ(second.use_count(), 2);
}

TEST(KeptValues, AreNoneThatAreLongerThanAllMayBe) {
  KeptValues kept(1000);
  const auto small = std::make_shared<const std::string>(300, 'v');
  kept.keep(small);
  const auto large = std::make_shared<const std::string>(1001, 'v');
  kept.keep(large);
  EXPECT_EQ(kept.size_bytes(), 300U);
  EXPECT_EQ(large.use_count(), 1);
  EXPECT_EQ(small.use_count(), 2);
}

}  // namespace
}  // namespace dgfs::test
