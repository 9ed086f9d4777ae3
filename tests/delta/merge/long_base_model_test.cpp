// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The model test of merges into bases with many seeds. One program, so that it can report what was
// done.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/delta/merge/merge_run.h"

namespace dgfs::test {
namespace {

// The short set uses the seeds below this one.
constexpr std::uint64_t kFirstSeed = 100'000;
constexpr std::uint64_t kParts = 100;
constexpr std::uint64_t kRuns = 8;  // for each part
constexpr std::size_t kOperations = 600;
constexpr std::uint64_t kOperationsMin = 400'000;
constexpr std::uint64_t kMergesMin = 2000;
static_assert(kParts * kRuns * kOperations >= kOperationsMin);

// The sum over all tests of the program.
MergeCounts total;

class LongBaseModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LongBaseModel, NoMergeChangesTheTree) {
  for (std::uint64_t run = 0; run < kRuns && !HasFailure(); ++run) {
    total += run_merges(kFirstSeed + GetParam() * kRuns + run, kOperations);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LongBaseModel, testing::Range<std::uint64_t>(0, kParts));

}  // namespace

// The whole set must do so much; a filtered run need not.
bool is_long() {
  return testing::GTEST_FLAG(filter) != "*" ||
         (total.operations >= kOperationsMin && total.switches >= kMergesMin &&
          total.threads >= kMergesMin / 4 && total.offline >= kMergesMin / 4 &&
          total.base_looks >= kMergesMin / 4 && total.joins >= kMergesMin / 5);
}

}  // namespace dgfs::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  std::printf("%s\n", to_string(dgfs::test::total).c_str());
  return status == 0 && dgfs::test::is_long() ? 0 : 1;
}
