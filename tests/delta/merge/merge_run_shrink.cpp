// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest-spi.h>

#include "tests/delta/merge/merge_run.h"
#include "tests/delta/view/model/shrink.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kMergeTriesMax = 1500;

std::string lines_of(const std::vector<MergeStep>& steps) {
  std::string lines;
  for (const MergeStep& step : steps) lines += "  " + to_string(step) + "\n";
  return lines;
}

// The failures of steps in a run of their own, which do not count for the test; empty: none.
std::string merge_failures_of(std::uint64_t seed, const std::vector<MergeStep>& steps,
                              bool allows_other_errors) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    Random random(0);  // unused: the steps exist already
    MergeRun run(seed, random);
    if (allows_other_errors) run.operations().allow_other_errors();
    for (const MergeStep& step : steps) {
      if (results.size() == 0) run.repeat(step);
    }
  }
  std::string messages;
  for (int i = 0; i < results.size(); ++i) messages += results.GetTestPartResult(i).message();
  return messages;
}

std::string shortened_merges(std::uint64_t seed, const std::vector<MergeStep>& steps) {
  // The run may have failed only because two errors differ.
  const bool allows = !merge_failures_of(seed, steps, true).empty();
  const auto fails = [&](const std::vector<MergeStep>& some) {
    return !merge_failures_of(seed, some, allows).empty();
  };
  if (!fails(steps)) return "the same steps do not fail again:\n" + lines_of(steps);
  const auto few = shrink<MergeStep>(steps, fails, kMergeTriesMax);
  return std::to_string(few.size()) + " of " + std::to_string(steps.size()) + " steps fail:\n" +
         lines_of(few) + merge_failures_of(seed, few, allows);
}

}  // namespace

MergeCounts run_merges(std::uint64_t seed, std::size_t operations) {
  Random random(seed);
  MergeRun run(seed, random);
  std::vector<MergeStep> steps;
  while (run.counts().operations < operations && !testing::Test::HasFailure()) {
    steps.push_back(run.step());
  }
  if (!testing::Test::HasFailure()) {
    MergeStep last;
    last.kind = MergeStep::Kind::kClose;
    run.repeat(last);
    steps.push_back(last);
  }
  if (testing::Test::HasFailure()) ADD_FAILURE() << shortened_merges(seed, steps);
  return run.counts();
}

}  // namespace dgfs::test
