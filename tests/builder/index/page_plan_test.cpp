// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/page_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/entry/check.h"
#include "format/entry/mode.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using builder::ExtentPlace;
using builder::plan_page;
using format::DataAddress;
using format::Entry;

constexpr std::uint64_t kStoredBytes = 1000;

class PagePlanTest : public testing::Test {
 protected:
  void add(const DataAddress& at) {
    places_.push_back(ExtentPlace({at, kStoredBytes}));
    Entry& entry = add_entry();
    entry.mode = format::kTypeRegular | 0644;
    entry.size_bytes = kStoredBytes;
    entry.codec = format::ExtentCodec::kZstd;
    entry.stored_bytes = kStoredBytes;
  }
  void add_directory() {
    places_.emplace_back();
    add_entry().mode = format::kTypeDirectory | 0755;
  }
  void add_run(format::VolumeNumber volume, std::uint64_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add({volume, begin + i * kStoredBytes});
  }

  // Plans one page, and checks that each place follows from what the entries state.
  builder::PagePlan plan(bool may_gap = true) {
    const auto plan = plan_page(entries_, places_, may_gap);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < plan.count; ++i) {
      const Entry& entry = entries_[i];
      EXPECT_TRUE(format::check_entry(entry)) << i;
      const bool is_stated = entry.stored_bytes != 0 && (places_[i] || entry.address);
      if (is_stated) {
        const auto at = entry.address.value_or(DataAddress{
            plan.begin.volume, plan.begin.offset_bytes + format::extent_offset(entry, sum)});
        EXPECT_EQ(at, places_[i]->at) << i;
      }
      EXPECT_TRUE(may_gap || entry.gap_bytes == 0);
      sum += format::running_bytes(entry);
    }
    return plan;
  }
  [[nodiscard]] std::size_t addresses() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        entries_, [](const Entry& entry) { return entry.address.has_value(); }));
  }
  [[nodiscard]] std::size_t gaps() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [](const Entry& entry) { return entry.gap_bytes != 0; }));
  }

  Entry& add_entry() {
    Entry& entry = entries_.emplace_back();
    const auto digits = std::to_string(entries_.size());
    entry.key = std::string(1, '\0') + std::string(8 - digits.size(), '0') + digits;
    return entry;
  }

  std::vector<Entry> entries_;
  std::vector<ExtentPlace> places_;
};

TEST_F(PagePlanTest, ExtentsInARowNeedNothing) {
  add_directory();
  add_run(3, 5000, 700);
  const auto made = plan();
  EXPECT_EQ(made.begin, (DataAddress{3, 5000}));
  EXPECT_EQ(made.count, 701U);
  EXPECT_EQ(gaps(), 0U);
  EXPECT_EQ(addresses(), 0U);
}

TEST_F(PagePlanTest, WhatIsGoneIsAGap) {
  for (int i = 0; i < 10; ++i) add_run(1, 4096 + 70'000ULL * static_cast<unsigned>(i), 60);
  static_cast<void>(plan());
  EXPECT_EQ(gaps(), 9U);
  EXPECT_EQ(addresses(), 0U);
  static_cast<void>(plan(false));
  EXPECT_EQ(gaps(), 0U);
  EXPECT_EQ(addresses(), 540U) << "without gaps, and without a run that is worth a page";
}

// Contents that were written anew lie in another volume, one behind the other.
TEST_F(PagePlanTest, AFileThatLiesElsewhereHasAnAddress) {
  for (std::size_t i = 0; i < 100; ++i) {
    add_run(1, 4096 + 10'000 * i, 9);
    add({0, 4096 + kStoredBytes * i});
  }
  EXPECT_EQ(plan().count, 1000U);
  EXPECT_EQ(addresses(), 100U);
  EXPECT_EQ(gaps(), 99U);
}

// A gap that leads to one file would make all that follow lie before the sum.
TEST_F(PagePlanTest, AFileFromFarAheadHasAnAddress) {
  add_run(1, 4096, 50);
  add({1, 1'000'000'000});
  add_run(1, 4096 + 50 * kStoredBytes, 50);
  EXPECT_EQ(plan().count, 101U);
  EXPECT_EQ(addresses(), 1U);
  EXPECT_EQ(gaps(), 0U);
}

TEST_F(PagePlanTest, ALongRunElsewhereBeginsAPage) {
  add_run(1, 4096, 100);
  add_run(0, 4096, 600);
  EXPECT_EQ(plan().count, 100U);
  EXPECT_EQ(addresses(), 0U);
}

TEST_F(PagePlanTest, AShortRunElsewhereDoesNot) {
  add_run(1, 4096, 100);
  add_run(0, 4096, 100);
  add_run(1, 4096 + 100 * kStoredBytes, 600);
  EXPECT_EQ(plan().count, 800U);
  EXPECT_EQ(addresses(), 100U);
}

// The first file of a frame has advanced the sum; if it is gone, the others need addresses.
TEST_F(PagePlanTest, FilesOfAFrameFollowItsFirst) {
  for (int frame = 0; frame < 2; ++frame) {
    for (std::uint32_t offset = 0; offset < 5000; offset += kStoredBytes) {
      if (frame == 1 && offset == 0) continue;
      add({1, 4096 + kStoredBytes * static_cast<unsigned>(frame)});
      entries_.back().fragment_offset = offset;
    }
  }
  add({1, 4096 + 2 * kStoredBytes});
  plan();
  EXPECT_EQ(addresses(), 4U);
  EXPECT_EQ(gaps(), 1U);
}

TEST_F(PagePlanTest, ANameOfALinkedObjectStatesItsExtentOnlyInTheSum) {
  add_run(1, 4096, 3);
  for (const std::size_t index : {1U, 2U}) {
    Entry name;
    name.key = entries_[index].key;
    name.mode = format::kTypeRegular;
    name.link_inode = 7 + index;
    name.stored_bytes = kStoredBytes;
    entries_[index] = name;
  }
  places_[2]->at = {1, 4096};
  plan();
  EXPECT_EQ(entries_[1].stored_bytes, kStoredBytes);
  EXPECT_EQ(entries_[2].stored_bytes, 0U);
}

TEST_F(PagePlanTest, AnyPlacesComeBack) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    entries_.clear();
    places_.clear();
    Random random(seed);
    DataAddress at{1, 4096};
    while (entries_.size() < 1500) {
      if (random.one_in(30)) add_directory();
      if (random.one_in(40)) at.offset_bytes += random.below(100'000);
      if (random.one_in(60)) {
        at = {static_cast<format::VolumeNumber>(random.below(3)), 4096 + random.below(1 << 30)};
      }
      add(at);
      at.offset_bytes += kStoredBytes;
    }
    const bool may_gap = !random.one_in(3);
    EXPECT_GT(plan(may_gap).count, 0U);
    const auto first = entries_;
    plan(may_gap);
    EXPECT_EQ(entries_, first) << "planned again";
  }
}

}  // namespace
}  // namespace dgfs::test
