// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/crash/crash_sweep.h"

#include <array>

#include "tests/delta/store/crash/crash_explorer.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;

// The losses that break the most come most often.
constexpr std::array kLikelyLosses = {CrashLoss::kRandomSubset, CrashLoss::kRandomSubset,
                                      CrashLoss::kScattered,    CrashLoss::kScattered,
                                      CrashLoss::kDropUnsynced, CrashLoss::kKeepAll};

// Stops at a call while the store opens, which may include a whole recovery; false: it has fewer
// calls.
bool stop_while_opening(storage::MemoryEnv& disk, const delta::StoreOptions& options,
                        Random& random, CrashTally& tally) {
  StoppingEnv env(disk, 1 + random.below(60));
  env.begin(Step::kOpen);
  static_cast<void>(delta::Store::open(env.env(), "/s", options));
  const auto loss = kLikelyLosses[random.below(kLikelyLosses.size())];
  if (env.has_stopped()) tally.failpoints.count(env, loss);
  tally.crash_points += env.has_stopped() ? 1U : 0U;
  disk.crash(loss, random.below(1U << 30));
  return env.has_stopped();
}

}  // namespace

CrashTally sweep(std::uint64_t seed, std::size_t batches, CrashWorkload::Commits commits) {
  CrashWorkload workload(seed, commits);
  CrashTally tally;
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped; ++call) {
    Random random(seed * 100003 + call);
    const auto disk = storage::make_memory_env(1);
    StoppingEnv env(*disk, call);
    workload.run(env, batches);
    has_stopped = env.has_stopped();
    const auto loss = kLikelyLosses[random.below(kLikelyLosses.size())];
    if (has_stopped) tally.failpoints.count(env, loss);
    ++tally.crash_points;
    disk->crash(loss, random.below(1U << 30));
    for (auto times = random.below(3); times > 0; --times) {
      if (!stop_while_opening(*disk, workload.options(), random, tally)) break;
    }
    expect_recovered(*disk, workload.options(), workload.history());
    EXPECT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", call " << call;
    if (testing::Test::HasFailure()) break;
  }
  return tally;
}

}  // namespace dgfs::test
