// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/link_sorter.h"

#include <gtest/gtest.h>

#include <map>

#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::builder {
namespace {

class LinkSorterTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SpoolPlace place_{env_.get(), "/", 100};
};

TEST_P(LinkSorterTest, AgreesWithAMap) {
  test::Random random(7);
  using Object = std::pair<std::uint64_t, std::uint64_t>;
  std::map<Object, std::vector<std::uint64_t>> names;
  LinkSorter sorter(place_, GetParam());
  const std::uint64_t positions = 3000;
  for (std::uint64_t position = 0; position < positions; ++position) {
    if (random.one_in(3)) continue;
    const Object object{random.below(2), random.below(800)};
    names[object].push_back(position);
    ASSERT_TRUE(sorter.add(object.first, object.second, position));
  }
  std::map<std::uint64_t, LinkName> expected;
  for (const auto& [object, at] : names) {
    if (at.size() < 2) continue;
    for (std::size_t i = 0; i < at.size(); ++i) {
      expected[at[i]] = {at[i], at[0], i == 0 ? at.size() : i + 1};
    }
  }
  auto links = std::move(sorter).finish();
  ASSERT_TRUE(links);
  for (std::uint64_t position = 0; position < positions; ++position) {
    const auto link = links.value().at(position);
    ASSERT_TRUE(link);
    const auto found = expected.find(position);
    const LinkName none{position, position, 0};
    EXPECT_EQ(link.value(), found == expected.end() ? none : found->second) << position;
  }
}

// Everything in memory; several runs; several rounds that merge two runs at a time.
INSTANTIATE_TEST_SUITE_P(Memory, LinkSorterTest, testing::Values(1 << 20, 1 << 13, 100));

TEST(RunSorter, SpillsOnlyWhenItMust) {
  const auto env = storage::make_memory_env(1);
  RunSorter small({env.get(), "/"}, 10 * sizeof(SortRecord));
  RunSorter large({env.get(), "/"}, 1 << 20);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(small.add({100 - i, i, 0}));
    ASSERT_TRUE(large.add({100 - i, i, 0}));
  }
  EXPECT_EQ(small.spilled_runs(), 10);
  EXPECT_EQ(large.spilled_runs(), 0);
  auto sorted = std::move(small).finish();
  ASSERT_TRUE(sorted);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    EXPECT_EQ(sorted.value()->next().value(), (SortRecord{i, 100 - i, 0}));
  }
  EXPECT_FALSE(sorted.value()->next().value());
}

}  // namespace
}  // namespace dgfs::builder
