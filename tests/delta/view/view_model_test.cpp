// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random operations on a view and on a plain tree, which must answer alike: over one store and over
// several, opened again and sealed in between, while listings are in progress.
#include <gtest/gtest.h>

#include "tests/delta/view/view_run.h"

namespace dgfs::test {
namespace {

TEST(ViewModel, AnswersLikeAPlainTree) {
  std::uint64_t names_read = 0;
  for (std::uint64_t seed = 0; seed < 60 && !testing::Test::HasFailure(); ++seed) {
    names_read += run_view(seed, 400).names_read;
  }
  EXPECT_GT(names_read, 1000U);
}

// A run is done again as it was, and in a run without a step that made something, what is done to
// that is left out.
TEST(ViewRun, DoesTheStepsOfAnotherRunAgain) {
  std::vector<RunStep> steps;
  Random random(7);
  ViewRun first(random);
  for (int i = 0; i < 300; ++i) steps.push_back(first.step());
  Random other(8);
  ViewRun second(other);
  for (const RunStep& step : steps) second.repeat(step);
  EXPECT_EQ(second.operations().done(), first.operations().done());
  EXPECT_EQ(second.listings().names_read(), first.listings().names_read());
  EXPECT_EQ(difference(first.operations().view(), second.operations().model(),
                       first.operations().pairs()),
            "");
  for (std::size_t left_out = 0; left_out < steps.size(); left_out += 17) {
    auto some = steps;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(failures_of(some), "");
  }
}

}  // namespace
}  // namespace dgfs::test
