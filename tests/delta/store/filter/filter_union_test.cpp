// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A union of filters denies nothing that one of them has, and seldom lets others through.
#include "delta/store/filter/filter_union.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "delta/store/run/object_key.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

class FilterUnionTest : public testing::Test {
 protected:
  PrefixFilter& add_filter(std::uint64_t capacity) {
    filters_.push_back(std::make_unique<PrefixFilter>(UINT64_MAX, capacity));
    return *filters_.back();
  }
  ObjectPrefix random_prefix() {
    return {static_cast<std::uint8_t>(random_.below(4)), random_.below(std::uint64_t{1} << 40)};
  }
  void fill(PrefixFilter& filter, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto prefix = random_prefix();
      filter.add(prefix);
      added_.insert(prefix);
    }
  }
  [[nodiscard]] FilterUnion made() const {
    std::vector<const PrefixFilter*> filters;
    for (const auto& filter : filters_) filters.push_back(filter.get());
    return FilterUnion(filters);
  }
  void expect_all_let_through(const FilterUnion& all) const {
    for (const ObjectPrefix& prefix : added_) {
      bool may_have = all.may_have(prefix);
      for (const auto i : all.left_out()) may_have = may_have || filters_[i]->may_have(prefix);
      ASSERT_TRUE(may_have);
    }
  }
  [[nodiscard]] double false_positives(const FilterUnion& all) {
    constexpr int kQuestions = 50'000;
    int yes = 0;
    for (int asked = 0; asked < kQuestions;) {
      const auto prefix = random_prefix();
      if (added_.contains(prefix)) continue;
      ++asked;
      yes += all.may_have(prefix) ? 1 : 0;
    }
    return static_cast<double>(yes) / kQuestions;
  }

  Random random_{1};
  std::vector<std::unique_ptr<PrefixFilter>> filters_;
  std::set<ObjectPrefix> added_;
};

TEST_F(FilterUnionTest, OfManySmallLayersIsOneStage) {
  for (int i = 0; i < 16; ++i) fill(add_filter(65'536), 3000);
  const auto all = made();
  EXPECT_EQ(all.stages(), 1U);
  EXPECT_EQ(all.filters(), 16U);
  EXPECT_TRUE(all.left_out().empty());
  expect_all_let_through(all);
  EXPECT_LE(false_positives(all), 0.0011);
}

TEST_F(FilterUnionTest, HoldsForAnySizes) {
  for (int run = 0; run < 30; ++run) {
    filters_.clear();
    added_.clear();
    for (auto count = 1 + random_.below(12); count > 0; --count) {
      const auto capacity = std::uint64_t{32} << random_.below(8);
      fill(add_filter(capacity + (random_.one_in(4) ? 32 : 0)), random_.below(capacity));
    }
    const auto all = made();
    expect_all_let_through(all);
    EXPECT_LE(false_positives(all), 0.003 * static_cast<double>(all.stages()));
    EXPECT_LE(all.stages() + all.left_out().size(), filters_.size());
  }
}

TEST_F(FilterUnionTest, LeavesOutStagesThatAreHalfFull) {
  fill(add_filter(1024), 600);
  fill(add_filter(1024), 300);
  fill(add_filter(1024), 3000);  // several stages, the first ones full
  const auto all = made();
  EXPECT_EQ(all.left_out(), (std::vector<std::size_t>{0, 2}));
  expect_all_let_through(all);
}

TEST_F(FilterUnionTest, LeavesOutFiltersWithRangesAndUnreadStages) {
  add_filter(1024).add_all();
  add_filter(1024).restore(std::make_unique<FilterStage>(1024, 100));
  filters_.push_back(nullptr);
  fill(add_filter(1024), 10);
  const auto all = made();
  EXPECT_EQ(all.left_out(), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(all.stages(), 1U);
}

TEST_F(FilterUnionTest, OfEmptyFiltersLetsNothingThrough) {
  add_filter(1024);
  add_filter(1024);
  const auto all = made();
  EXPECT_EQ(all.stages(), 0U);
  EXPECT_FALSE(all.may_have({1, 1}));
}

}  // namespace
}  // namespace dgfs::test
