// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The model test with many seeds. One program, so that it can report the number of operations.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/delta/store/model_run.h"

namespace dgfs::test {
namespace {

// The short set uses the seeds below this one.
constexpr std::uint64_t kFirstSeed = 100'000;
constexpr std::uint64_t kRounds = 12;
constexpr std::uint64_t kOperationsMin = 2'000'000;

// The sum over all tests of the program.
std::uint64_t operations = 0;

class LongModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LongModel, AnswersAsAMapDoes) {
  for (std::uint64_t round = 0; round < kRounds && !HasFailure(); ++round) {
    operations += expect_like_a_map(kFirstSeed + GetParam() * kRounds + round);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LongModel, testing::Range<std::uint64_t>(0, 200));

}  // namespace

// The whole set must reach so many operations; a filtered run need not.
bool is_long() { return testing::GTEST_FLAG(filter) != "*" || operations >= kOperationsMin; }

void print_total() {
  std::printf("%llu operations\n", static_cast<unsigned long long>(operations));
}

}  // namespace dgfs::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  dgfs::test::print_total();
  return status == 0 && dgfs::test::is_long() ? 0 : 1;
}
