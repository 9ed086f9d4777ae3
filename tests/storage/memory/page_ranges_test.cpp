// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/page_ranges.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

TEST(PageRanges, AreASetOfPages) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    storage::PageRanges ranges;
    std::set<std::uint64_t> pages;
    for (int step = 0; step < 300; ++step) {
      const auto begin = random.below(40);
      const auto end = begin + random.below(10);
      if (random.one_in(2)) {
        ranges.add(begin, end);
        for (auto page = begin; page < end; ++page) pages.insert(page);
      } else {
        ranges.remove(begin, end);
        for (auto page = begin; page < end; ++page) pages.erase(page);
      }
      ASSERT_EQ(ranges.count(), pages.size());
      for (std::uint64_t page = 0; page < 52; ++page) {
        ASSERT_EQ(ranges.has(page), pages.count(page) != 0) << page;
      }
    }
    ranges.clear();
    EXPECT_EQ(ranges.count(), 0U);
  }
}

}  // namespace
}  // namespace dgfs::test
