// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The long set: all sequences of three calls, all sequences of two calls in which the process ends
// before the machine, and random work. One program, so that it can report the number of crash
// points. To continue an interrupted run, choose seeds: --gtest_filter='*Random*/12?:*Random*/13?'
// are twenty seeds.
#include <gtest/gtest.h>

#include <cstdio>
#include <tuple>

#include "tests/delta/store/crash/crash_explorer.h"

namespace dgfs::test {
namespace {

// The sum over all tests of the program.
CrashTally& total() {
  static CrashTally tally;
  return tally;
}

class LongScriptCrash : public testing::TestWithParam<std::tuple<Base, std::size_t>> {
 protected:
  [[nodiscard]] static StoreImage base() { return make_base(std::get<0>(GetParam())); }
  [[nodiscard]] static Script begin() { return {static_cast<Letter>(std::get<1>(GetParam()))}; }
};

TEST_P(LongScriptCrash, KeepsAPrefixAfterThreeCalls) {
  CrashExplorer explorer(base(), {5, 0});
  each_script(begin(), 3, [&](const Script& script) { explorer.stop_machine(script); });
  total().add(explorer.tally());
}

TEST_P(LongScriptCrash, KeepsAPrefixWhereTheProcessEndsBeforeTheMachine) {
  CrashExplorer explorer(base(), {0, 11});
  const Script after = {Letter::kPutB, Letter::kSync, Letter::kRemoveRest, Letter::kCheckpoint};
  each_script(begin(), 2, [&](const Script& script) { explorer.end_process(script, after); });
  total().add(explorer.tally());
}

INSTANTIATE_TEST_SUITE_P(Letters, LongScriptCrash,
                         testing::Combine(testing::Values(Base::kEmpty, Base::kDeep, Base::kOver),
                                          testing::Range<std::size_t>(0, kLetters)));

// The short set uses the seeds below this one.
constexpr std::uint64_t kFirstSeed = 1000;

class RandomCrash : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomCrash, KeepsAPrefix) { total().add(sweep(kFirstSeed + GetParam(), 150)); }

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCrash, testing::Range<std::uint64_t>(0, 200));

}  // namespace

void print_total() {
  std::printf("%llu crash points\n%s", static_cast<unsigned long long>(total().crash_points),
              total().failpoints.to_text().c_str());
}

// The whole set must reach so many crash points; a filtered run need not.
bool is_long() { return testing::GTEST_FLAG(filter) != "*" || total().crash_points >= 1'000'000; }

}  // namespace dgfs::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  dgfs::test::print_total();
  return status == 0 && dgfs::test::is_long() ? 0 : 1;
}
