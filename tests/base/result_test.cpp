// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace dgfs {
namespace {

Error failure() { return Error(ErrorKind::kNotFound, 3, "no such entry"); }

Result<int> half(int number) {
  if (number % 2 != 0) return failure();
  return number / 2;
}

Result<int> quarter(int number) {
  DGFS_TRY(halved, half(number));
  DGFS_TRY(quartered, half(halved));
  return quartered;
}

Status check_even(int number, int& steps) {
  ++steps;
  DGFS_CHECK(half(number));
  ++steps;
  return ok();
}

TEST(Result, HoldsAValueOrAnError) {
  ASSERT_TRUE(half(6).has_value());
  EXPECT_EQ(half(6).value(), 3);
  ASSERT_TRUE(half(5).has_error());
  EXPECT_EQ(half(5).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(half(5).error().code(), 3);
}

TEST(Result, TryBindsTheValueAndGoesOn) { EXPECT_EQ(quarter(12).value(), 3); }

TEST(Result, TryReturnsTheErrorOfWhicheverStepFailed) {
  EXPECT_EQ(quarter(5).error().code(), 3);  // the first half
  EXPECT_EQ(quarter(6).error().code(), 3);  // the second
}

TEST(Result, CheckGoesOnOnlyAfterSuccess) {
  int steps = 0;
  EXPECT_TRUE(check_even(4, steps).has_value());
  EXPECT_EQ(steps, 2);
  steps = 0;
  const Status failed = check_even(5, steps);
  ASSERT_TRUE(failed.has_error());
  EXPECT_EQ(failed.error().text(), "no such entry");
  EXPECT_EQ(steps, 1);
}

TEST(Result, TryMovesValuesThatCannotBeCopied) {
  const auto make = [](bool good) -> Result<std::unique_ptr<int>> {
    if (!good) return failure();
    return std::make_unique<int>(7);
  };
  const auto read = [&](bool good) -> Result<int> {
    DGFS_TRY(owned, make(good));
    return *owned;
  };
  EXPECT_EQ(read(true).value(), 7);
  EXPECT_TRUE(read(false).has_error());
}

TEST(Result, TryKeepsThePlaceThatInnerCodeNamed) {
  const auto inner = []() -> Status { return failure().in_file("a.dgfs").at_offset(8); };
  const auto outer = [&]() -> Result<int> {
    DGFS_CHECK(inner());
    return 1;
  };
  EXPECT_EQ(outer().error().message(), "a.dgfs: offset 8: no such entry");
}

TEST(ResultDeathTest, ReadingTheValueOfAFailureEndsTheProgram) {
  EXPECT_DEATH((void)half(5).value(), "");
}

}  // namespace
}  // namespace dgfs
