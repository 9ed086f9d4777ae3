// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random operations on a view and on a plain tree, which must give the same answers: over one store
// and over several, with sealing and opening again in between, and with listings in progress.
#include <gtest/gtest.h>

#include <string>

#include "format/limits.h"
#include "tests/delta/view/model/view_run.h"

namespace dgfs::test {
namespace {

TEST(ViewModel, AnswersLikeAPlainTree) {
  RunCounts all;
  for (std::uint64_t seed = 0; seed < 60 && !testing::Test::HasFailure(); ++seed) {
    const auto counts = run_view(seed, 400);
    all.names_read += counts.names_read;
    all.states += counts.states;
    all.looks += counts.looks;
    all.joins += counts.joins;
    all.differences += counts.differences;
  }
  EXPECT_GT(all.names_read, 1000U);
  EXPECT_GT(all.states, 100U);
  EXPECT_GT(all.looks, 100U);
  EXPECT_GT(all.joins, 20U);
  EXPECT_GT(all.differences, 1000U);
}

// Names of the greatest length until the list has no more room, and lengths around that limit.
TEST(ViewModel, NamesOfAttributesFillTheirList) {
  Random random(1);
  ViewRun run(random);
  RunStep step;
  step.operation.verb = Verb::kSetXattr;
  step.operation.object = view::kRoot;
  const auto set = [&](const std::string& name) {
    step.operation.xattr = name;
    run.repeat(step);
  };
  const auto used = [&] {
    std::size_t bytes = 0;
    const auto names = run.operations().model().xattr_names(view::kRoot);
    for (const auto& name : names.assume_value()) bytes += name.size() + 1;
    return bytes;
  };
  for (int i = 1000; i < 1260; ++i) {
    set("user." + std::to_string(i) + std::string(format::kXattrNameBytesMax - 9, 'x'));
  }
  const auto most = format::kXattrListBytesMax / (format::kXattrNameBytesMax + 1);
  EXPECT_EQ(used(), most * (format::kXattrNameBytesMax + 1));
  step.operation.verb = Verb::kRemoveXattr;
  set("user.1000" + std::string(format::kXattrNameBytesMax - 9, 'x'));
  step.operation.verb = Verb::kSetXattr;
  set("user." + std::string(100, 'y'));
  const auto room = format::kXattrListBytesMax - used();
  ASSERT_LT(room, format::kXattrNameBytesMax);
  set("user." + std::string(room - 5, 'z'));  // a byte too many, with the zero at its end
  EXPECT_EQ(format::kXattrListBytesMax - used(), room);
  set("user." + std::string(room - 6, 'z'));
  EXPECT_EQ(used(), format::kXattrListBytesMax);
  step.kind = RunStep::Kind::kCompare;
  run.repeat(step);
  step.kind = RunStep::Kind::kSeal;
  run.repeat(step);
}

// The test repeats a run as it was, and then without a step that made an object: the run leaves out
// all steps on that object.
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
  for (std::size_t left_out = 0; left_out < steps.size(); left_out += 7) {
    auto some = steps;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(failures_of(some, Errors::kAny), "");
  }
}

}  // namespace
}  // namespace dgfs::test
