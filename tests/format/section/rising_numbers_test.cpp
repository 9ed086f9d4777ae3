// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/rising_numbers.h"

#include <gtest/gtest.h>

namespace dgfs::format {
namespace {

constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;

// The model is a sorted vector; the test asks for each number, and for those before and behind it.
void expect_like_vector(const std::vector<std::uint64_t>& model) {
  RisingNumbers numbers;
  for (const auto number : model) numbers.push_back(number);
  ASSERT_EQ(numbers.size(), model.size());
  std::vector<std::uint64_t> wanted{0, 1, kHigh - 1, kHigh, 2 * kHigh, ~std::uint64_t{0}};
  for (std::size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(numbers[i], model[i]) << i;
    for (const auto number : {model[i] - 1, model[i], model[i] + 1}) wanted.push_back(number);
  }
  for (const auto number : wanted) {
    const auto lower = std::lower_bound(model.begin(), model.end(), number) - model.begin();
    const auto upper = std::upper_bound(model.begin(), model.end(), number) - model.begin();
    EXPECT_EQ(numbers.lower_bound(number), static_cast<std::size_t>(lower)) << number;
    EXPECT_EQ(numbers.upper_bound(number), static_cast<std::size_t>(upper)) << number;
  }
}

TEST(RisingNumbersTest, IsLikeASortedVector) {
  expect_like_vector({});
  expect_like_vector({5});
  expect_like_vector({0, 1, 1, 1, 7, 100});
}

TEST(RisingNumbersTest, HighHalvesMayChangeAnywhere) {
  expect_like_vector({kHigh});
  expect_like_vector({1, 2, kHigh - 1, kHigh, kHigh, kHigh + 3});
  expect_like_vector({7, 3 * kHigh + 2, 3 * kHigh + 9, 5 * kHigh - 1, 5 * kHigh, 9 * kHigh});
  expect_like_vector({2 * kHigh, 2 * kHigh + 1, (kHigh - 1) << 32});
}

TEST(RisingNumbersTest, ManyAtOnceHaveTheHighHalfOfTheLast) {
  RisingNumbers numbers;
  numbers.push_back(kHigh - 5);
  EXPECT_TRUE(numbers.extend(2, kHigh).empty());
  numbers.push_back(kHigh);
  const auto lows = numbers.extend(2, kHigh + 9);
  ASSERT_EQ(lows.size(), 2U);
  lows[0] = 7;
  lows[1] = 9;
  ASSERT_EQ(numbers.size(), 4U);
  EXPECT_EQ(numbers[0], kHigh - 5);
  EXPECT_EQ(numbers[2], kHigh + 7);
  EXPECT_EQ(numbers[3], kHigh + 9);
}

TEST(RisingNumbersTest, NumbersTakeFourBytes) {
  RisingNumbers numbers;
  numbers.reserve(1000);
  for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(3 * i);
  EXPECT_EQ(numbers.memory_bytes(), 4000U);
}

}  // namespace
}  // namespace dgfs::format
