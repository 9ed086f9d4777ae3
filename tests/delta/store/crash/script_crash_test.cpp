// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// All short sequences of calls of the store, and a stop at each of their storage calls.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/delta/store/crash/crash_explorer.h"

namespace dgfs::test {
namespace {

class ScriptCrash : public testing::TestWithParam<Base> {
 protected:
  void report(const CrashTally& tally) {
    RecordProperty("crash_points", static_cast<int>(tally.crash_points));
    std::cout << tally.crash_points << " crash points\n";
  }
};

TEST_P(ScriptCrash, KeepsAPrefixAfterTwoCalls) {
  // The recovery of a deep store takes three times as many calls.
  CrashExplorer explorer(make_base(GetParam()), {GetParam() > Base::kEmpty ? 61U : 17U, 0});
  // Two letters on a deep store with a filter take too long here; the long set tries them.
  const bool is_short = GetParam() == Base::kNothing || GetParam() == Base::kOver;
  const std::size_t length = is_short ? 1 : 2;
  for (std::size_t letters = 0; letters <= length; ++letters) {
    each_script({}, letters, [&](const Script& script) { explorer.stop_machine(script); });
  }
  report(explorer.tally());
}

// The store that is opened again has the process's writes, but they need not be durable.
TEST_P(ScriptCrash, KeepsAPrefixWhereTheProcessEndsBeforeTheMachine) {
  CrashExplorer explorer(make_base(GetParam()), {0, 7});
  const Script after = {Letter::kPutB, Letter::kSync, Letter::kPutA, Letter::kCheckpoint};
  for (std::size_t letters = 0; letters <= 1; ++letters) {
    each_script({}, letters, [&](const Script& script) { explorer.end_process(script, after); });
  }
  report(explorer.tally());
}

std::string text_of(const testing::TestParamInfo<Base>& info) {
  constexpr const char* kTexts[] = {"Nothing", "Empty", "Deep", "Over"};
  return kTexts[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Bases, ScriptCrash,
                         testing::Values(Base::kNothing, Base::kEmpty, Base::kDeep, Base::kOver),
                         text_of);

// If no script stops at a step of the protocol, that step is untested.
TEST(FailpointsTest, EachIsHitByShortScripts) {
  constexpr std::uint64_t kTimesMin = 10;
  CrashTally tally;
  for (const auto base : {Base::kNothing, Base::kEmpty, Base::kDeep}) {
    CrashExplorer explorer(make_base(base), {5, 0});
    each_script({}, 1, [&](const Script& script) {
      explorer.stop_machine({script.front(), Letter::kCheckpoint});
    });
    explorer.stop_machine({Letter::kPatch, Letter::kSync});
    explorer.stop_machine(
        {Letter::kPutA, Letter::kCheckpoint, Letter::kPutB, Letter::kCheckpoint, Letter::kPutA});
    // A file that has lost most of its values gets shorter: the store moves the rest, and cuts the
    // file.
    for (const auto before : {Letter::kSync, Letter::kMaintain, Letter::kCheckpoint}) {
      explorer.stop_machine({Letter::kRemoveRest, before, Letter::kCheckpoint});
    }
    explorer.stop_machine({Letter::kPutLarge, Letter::kCheckpoint, Letter::kRemove,
                           Letter::kCheckpoint, Letter::kPutB});
    tally.add(explorer.tally());
  }
  std::cout << tally.failpoints.to_text();
  EXPECT_GE(tally.failpoints.count_min(), kTimesMin);
}

}  // namespace
}  // namespace dgfs::test
