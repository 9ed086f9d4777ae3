// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The model test of the view with many seeds. One program, so that it can report the number of
// operations.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/delta/view/model/view_run.h"

namespace dgfs::test {
namespace {

// The short set uses the seeds below this one.
constexpr std::uint64_t kFirstSeed = 100'000;
constexpr std::uint64_t kParts = 100;
constexpr std::uint64_t kRuns = 20;  // for each part
constexpr std::size_t kOperations = 500;
constexpr std::uint64_t kOperationsMin = 1'000'000;
constexpr std::uint64_t kStatesMin = 2000;
static_assert(kParts * kRuns * kOperations >= kOperationsMin);

// The sum over all tests of the program.
RunCounts total;

class LongViewModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LongViewModel, AnswersLikeAPlainTree) {
  for (std::uint64_t run = 0; run < kRuns && !HasFailure(); ++run) {
    const auto counts = run_view(kFirstSeed + GetParam() * kRuns + run, kOperations);
    total.operations += counts.operations;
    total.names_read += counts.names_read;
    total.states += counts.states;
    total.looks += counts.looks;
    total.differences += counts.differences;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LongViewModel, testing::Range<std::uint64_t>(0, kParts));

}  // namespace

// The whole set must do so much; a filtered run need not.
bool is_long() {
  return testing::GTEST_FLAG(filter) != "*" ||
         (total.operations >= kOperationsMin && total.states >= kStatesMin &&
          total.looks >= kStatesMin && total.differences >= kStatesMin);
}

void print_total() {
  std::printf(
      "%s operations, %s names of listings in progress, %s states, %s looks at states, "
      "%s names in which two states differ\n",
      std::to_string(total.operations).c_str(), std::to_string(total.names_read).c_str(),
      std::to_string(total.states).c_str(), std::to_string(total.looks).c_str(),
      std::to_string(total.differences).c_str());
}

}  // namespace dgfs::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  dgfs::test::print_total();
  return status == 0 && dgfs::test::is_long() ? 0 : 1;
}
