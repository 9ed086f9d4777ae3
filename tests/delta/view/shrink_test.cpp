// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/shrink.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tests/delta/view/model/operation.h"

namespace dgfs::test {
namespace {

using Numbers = std::vector<int>;

Numbers numbers_below(int end) {
  Numbers numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

bool has(const Numbers& numbers, int wanted) {
  return std::find(numbers.begin(), numbers.end(), wanted) != numbers.end();
}

TEST(Shrink, LeavesTheTwoThatFailTogether) {
  for (int first = 0; first < 40; ++first) {
    for (int second = first + 1; second < 41; ++second) {
      const auto left = shrink<int>(
          numbers_below(41),
          [&](const Numbers& numbers) { return has(numbers, first) && has(numbers, second); }, 500);
      EXPECT_EQ(left, (Numbers{first, second}));
    }
  }
}

TEST(Shrink, LeavesTheOperationsThatFailTogether) {
  std::vector<Operation> operations(400);
  for (std::size_t i = 0; i < operations.size(); ++i) operations[i].object = i;
  std::size_t tries = 0;
  const auto left = shrink<Operation>(
      operations,
      [&](const std::vector<Operation>& rest) {
        ++tries;
        return std::count_if(rest.begin(), rest.end(), [](const Operation& operation) {
                 return operation.object == 17 || operation.object == 333;
               }) == 2;
      },
      1000);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].object, 17U);
  EXPECT_EQ(left[1].object, 333U);
  EXPECT_LT(tries, 100U) << "bisection needs fewer tries";
}

// One element can go only after another one has gone; a single pass misses this.
TEST(Shrink, LooksAgainAfterSomethingHasGone) {
  const auto left = shrink<int>(
      numbers_below(8),
      [](const Numbers& numbers) {
        return has(numbers, 5) && (has(numbers, 6) || !has(numbers, 7));
      },
      100);
  EXPECT_EQ(left, Numbers{5});
}

TEST(Shrink, LeavesNothingIfEverythingFails) {
  EXPECT_TRUE(shrink<int>(
                  numbers_below(9), [](const Numbers&) { return true; }, 100)
                  .empty());
}

TEST(Shrink, StopsWhenTheTriesRanOut) {
  std::size_t tries = 0;
  const auto left = shrink<int>(
      numbers_below(100),
      [&](const Numbers& numbers) {
        ++tries;
        return has(numbers, 0) && has(numbers, 99);
      },
      10);
  EXPECT_EQ(tries, 10U);
  EXPECT_TRUE(has(left, 0) && has(left, 99)) << "the result must still fail";
}

}  // namespace
}  // namespace dgfs::test
