// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stops at every storage call of random work.
#pragma once

#include <cstdint>

#include "tests/delta/store/crash/crash_workload.h"
#include "tests/delta/store/crash/failpoints.h"

namespace dgfs::test {

/// Counts of stops. A value.
struct CrashTally {
  std::uint64_t crash_points = 0;
  Failpoints failpoints;

  void add(const CrashTally& other) {
    crash_points += other.crash_points;
    failpoints.add(other.failpoints);
  }
};

/// Runs a workload once for each of its storage calls, stops at that call, and in some of the
/// recoveries, and checks the store. Ends at the first failure.
[[nodiscard]] CrashTally sweep(std::uint64_t seed, std::size_t batches,
                               CrashWorkload::Commits commits = CrashWorkload::Commits::kNever);

}  // namespace dgfs::test
