// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/space_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

// A model with a byte for each unit of space.
class SpaceModel {
 public:
  // Returns whether the whole extent was free.
  bool set(const Extent& extent, bool is_used) {
    if (used_.size() < extent.end_bytes()) used_.resize(extent.end_bytes());
    const auto begin = used_.begin() + static_cast<std::ptrdiff_t>(extent.offset_bytes);
    const auto end = begin + static_cast<std::ptrdiff_t>(extent.length_bytes);
    const bool was_free = std::none_of(begin, end, [](bool used) { return used; });
    std::fill(begin, end, is_used);
    return was_free;
  }
  [[nodiscard]] bool is_free(const Extent& extent) const {
    for (auto at = extent.offset_bytes; at < std::min(extent.end_bytes(), end_bytes()); ++at) {
      if (used_[at]) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t end_bytes() const {
    const auto last = std::find(used_.rbegin(), used_.rend(), true);
    return static_cast<std::uint64_t>(used_.rend() - last);
  }
  [[nodiscard]] std::uint64_t used_bytes() const {
    return static_cast<std::uint64_t>(std::ranges::count(used_, true));
  }
  // The length of the shortest free stretch of at least `length` units that begins in [from, to),
  // before the end; 0: there is none.
  [[nodiscard]] std::uint64_t shortest_fit(std::uint64_t length, std::uint64_t from,
                                           std::uint64_t to) const {
    const auto end = end_bytes();
    std::uint64_t best = 0;
    std::uint64_t run = 0;
    for (std::uint64_t at = 0; at <= end; ++at) {
      if (at < end && !used_[at]) {
        ++run;
        continue;
      }
      const bool is_meant = at - run >= from && at - run < to && at < end;
      if (run >= length && is_meant && (best == 0 || run < best)) best = run;
      run = 0;
    }
    return best;
  }

 private:
  std::vector<bool> used_;
};

// Free stretches of 10 at 10, of 20 at 30 and of 10 at 60, between used ones.
class ClosedSpace : public testing::Test {
 protected:
  ClosedSpace() {
    EXPECT_EQ(map_.take(80).offset_bytes, 0U);
    for (const Extent& extent : {Extent{10, 10}, Extent{30, 20}, Extent{60, 10}}) {
      map_.give_back(extent);
    }
  }
  SpaceMap map_;
};

TEST_F(ClosedSpace, IsTakenWhereNoOtherHasRoom) {
  map_.close_from(30);
  EXPECT_EQ(map_.take(5), (Extent{10, 5}));
  EXPECT_EQ(map_.take_open(6), std::nullopt);
  EXPECT_EQ(map_.take(6), (Extent{60, 6}));
  EXPECT_EQ(map_.take_open(5), (Extent{15, 5}));
  EXPECT_EQ(map_.take_open(1), std::nullopt);
  EXPECT_EQ(map_.take(30), (Extent{80, 30}));
}

TEST_F(ClosedSpace, IsOpenAgainWhenOtherIsClosed) {
  map_.close_from(0);
  EXPECT_EQ(map_.take_open(1), std::nullopt);
  map_.close_from(60);
  map_.give_back({50, 10});  // a stretch that begins before is open as a whole
  EXPECT_EQ(map_.take_open(40), (Extent{30, 40}));
  map_.close_from(UINT64_MAX);
  map_.give_back({30, 40});
  EXPECT_EQ(map_.take_open(10), (Extent{10, 10}));
  EXPECT_EQ(map_.take_open(10), (Extent{30, 10}));
}

// Used are 10 units each at 70, 50, 20 and 0.
TEST_F(ClosedSpace, BeginsWhereSoMuchIsTakenBehind) {
  EXPECT_EQ(map_.begin_of_last(0), 80U);
  EXPECT_EQ(map_.begin_of_last(4), 76U);
  EXPECT_EQ(map_.begin_of_last(10), 70U);
  EXPECT_EQ(map_.begin_of_last(11), 59U);
  EXPECT_EQ(map_.begin_of_last(30), 20U);
  EXPECT_EQ(map_.begin_of_last(40), 0U);
  EXPECT_EQ(map_.begin_of_last(1000), 0U);
}

// In a damaged tree an extent may occur twice, or be free in the map.
TEST(SpaceMap, WhatIsFreeDoesNotComeBackTwice) {
  constexpr std::uint64_t kStep = kBlockAlignmentBytes;
  for (std::uint64_t begin = 0; begin < 10; ++begin) {
    for (std::uint64_t end = begin + 1; end < 12; ++end) {
      SpaceMap map;
      map.restore(10 * kStep, {{2 * kStep, 2 * kStep}, {6 * kStep, kStep}});
      map.give_back({begin * kStep, (end - begin) * kStep});
      const bool is_taken = end <= 2 || (begin >= 4 && end <= 6) || (begin >= 7 && end <= 10);
      EXPECT_EQ(map.end_bytes() - map.free_bytes(),
                is_taken ? (7 - (end - begin)) * kStep : 7 * kStep);
      while (map.free_bytes() > 0) static_cast<void>(map.take(kStep));
    }
  }
}

TEST(SpaceMap, AnswersAsABitmapDoes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SpaceMap map;
    SpaceModel model;
    std::vector<Extent> taken;
    std::uint64_t closed_from = UINT64_MAX;
    for (int step = 0; step < 400; ++step) {
      const auto choice = random.below(7);
      if (choice == 0) {
        const Extent extent{random.below(150), 1 + random.below(20)};
        const bool is_free = model.is_free(extent);
        // The map does not treat an extent across the end as free as a whole.
        const auto end = model.end_bytes();
        if (extent.offset_bytes < end && extent.end_bytes() > end) continue;
        ASSERT_EQ(map.mark(extent), is_free);
        if (!is_free) continue;
        model.set(extent, true);
        taken.push_back(extent);
      } else if (choice < 3 || taken.empty()) {
        const auto length = 1 + random.below(20);
        const bool fits_open = model.shortest_fit(length, 0, closed_from) != 0;
        const bool fits = fits_open || model.shortest_fit(length, closed_from, UINT64_MAX) != 0;
        const auto end = model.end_bytes();
        const Extent extent = map.take(length);
        ASSERT_EQ(extent.length_bytes, length);
        ASSERT_TRUE(model.set(extent, true));
        ASSERT_EQ(extent.offset_bytes == end, !fits);
        ASSERT_EQ(extent.offset_bytes < std::min(closed_from, end), fits_open);
        taken.push_back(extent);
      } else if (choice == 3) {
        closed_from = random.one_in(3) ? UINT64_MAX : random.below(150);
        map.close_from(closed_from);
      } else if (choice == 4) {
        const auto length = 1 + random.below(20);
        const bool fits = model.shortest_fit(length, 0, closed_from) != 0;
        const auto extent = map.take_open(length);
        ASSERT_EQ(extent.has_value(), fits);
        if (!extent) continue;
        ASSERT_LT(extent->offset_bytes, closed_from);
        ASSERT_TRUE(model.set(*extent, true));
        taken.push_back(*extent);
      } else {
        const auto at = static_cast<std::size_t>(random.below(taken.size()));
        map.give_back(taken[at]);
        model.set(taken[at], false);
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
      }
      ASSERT_EQ(map.end_bytes(), model.end_bytes());
      ASSERT_EQ(map.used_bytes(), model.used_bytes());
    }
  }
}

}  // namespace
}  // namespace dgfs::test
