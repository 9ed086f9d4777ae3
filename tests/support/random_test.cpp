// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/random.h"

#include <gtest/gtest-spi.h>

#include <cstdlib>
#include <set>
#include <string>

namespace dgfs::test {
namespace {

constexpr const char* kVariable = "DGFS_TEST_SEED";

// Restores the variable, which may be set for this run.
class TestSeed : public testing::Test {
 protected:
  TestSeed() {
    if (const char* value = std::getenv(kVariable)) before_ = value;
    ::unsetenv(kVariable);
  }
  ~TestSeed() override { set(before_); }
  static void set(const std::string& value) { ::setenv(kVariable, value.c_str(), 1); }

 private:
  std::string before_;
};

TEST_F(TestSeed, IsTheWrittenOneWithoutAVariable) {
  EXPECT_EQ(test_seed(0), 0U);
  EXPECT_EQ(test_seed(35), 35U);
  set("");
  EXPECT_EQ(test_seed(35), 35U);
}

// Tests with many seeds have as many in each run, but other ones.
TEST_F(TestSeed, DependsOnTheRunAndOnTheWrittenOne) {
  constexpr std::uint64_t kCount = 100;
  std::set<std::uint64_t> seeds;
  for (std::uint64_t run = 0; run < kCount; ++run) {
    set(std::to_string(run));
    for (std::uint64_t written = 0; written < kCount; ++written) seeds.insert(test_seed(written));
  }
  EXPECT_EQ(seeds.size(), kCount * kCount);
  EXPECT_GT(*seeds.begin(), 2 * kCount);
}

TEST_F(TestSeed, IsTheSameInTheSameRun) {
  set("18446744073709551615");
  EXPECT_EQ(test_seed(7), test_seed(7));
  EXPECT_EQ(Random(7).bytes(20), Random(7).bytes(20));
  const OwnSeeds own;
  EXPECT_EQ(test_seed(7), 7U);
}

TEST_F(TestSeed, OfNoNumberEndsTheProgram) {
  for (const char* text : {"x", "7x", "-1", " 7", "18446744073709551616"}) {
    set(text);
    EXPECT_EXIT(static_cast<void>(test_seed(1)), testing::ExitedWithCode(2), kVariable) << text;
  }
}

TEST_F(TestSeed, IsPartOfAFailure) {
  EXPECT_NONFATAL_FAILURE(
      {
        const Random random(35);
        ADD_FAILURE();
      },
      "seed 35; repeat without DGFS_TEST_SEED");
  set("7");
  EXPECT_NONFATAL_FAILURE(
      {
        const Random random(35);
        ADD_FAILURE();
      },
      "repeat with DGFS_TEST_SEED=7");
}

}  // namespace
}  // namespace dgfs::test
