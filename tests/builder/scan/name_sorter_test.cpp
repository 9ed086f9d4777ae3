// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/name_sorter.h"

#include <gtest/gtest.h>

#include <set>

#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::builder {
namespace {

std::vector<std::string> names_of(NameSorter sorter) {
  auto sorted = std::move(sorter).finish();
  EXPECT_TRUE(sorted);
  std::vector<std::string> names;
  while (true) {
    const auto name = sorted.value()->next();
    EXPECT_TRUE(name);
    if (!name || !name.value()) return names;
    names.emplace_back(*name.value());
  }
}

class NameSorterTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SpoolPlace place_{env_.get(), "/", 100};
};

TEST_P(NameSorterTest, AgreesWithASet) {
  test::Random random(11);
  std::set<std::string> expected;
  NameSorter sorter(place_, GetParam());
  for (int i = 0; i < 4000; ++i) {
    std::string name(1 + random.below(random.one_in(50) ? 255 : 3), 'a');
    for (char& c : name) c = static_cast<char>(1 + random.below(255));
    expected.insert(name);
    // Some names come twice, as when another process changes the directory.
    const int times = random.one_in(20) ? 2 : 1;
    for (int k = 0; k < times; ++k) ASSERT_TRUE(sorter.add(name));
  }
  EXPECT_EQ(names_of(std::move(sorter)),
            std::vector<std::string>(expected.begin(), expected.end()));
}

// Everything in memory; several runs; nearly a run per name.
INSTANTIATE_TEST_SUITE_P(Memory, NameSorterTest, testing::Values(1 << 20, 1 << 13, 100));

TEST(NameSorter, SpillsOnlyWhenItMust) {
  const auto env = storage::make_memory_env(1);
  NameSorter small({env.get(), "/"}, 1 << 12);
  NameSorter large({env.get(), "/"}, 1 << 20);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(small.add(std::to_string(i)));
    ASSERT_TRUE(large.add(std::to_string(i)));
  }
  EXPECT_GT(small.spilled_runs(), 1U);
  EXPECT_EQ(large.spilled_runs(), 0U);
  EXPECT_EQ(names_of(std::move(small)), names_of(std::move(large)));
}

TEST(NameSorter, OfAnEmptyDirectoryGivesNothing) {
  const auto env = storage::make_memory_env(1);
  EXPECT_TRUE(names_of(NameSorter({env.get(), "/"}, 1 << 12)).empty());
}

}  // namespace
}  // namespace dgfs::builder
