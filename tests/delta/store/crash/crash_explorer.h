// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CrashExplorer: stops a machine at every storage call of a script, with each kind of loss, and
// again in what follows, and looks at the store that is left.
#pragma once

#include <cstdint>
#include <string>

#include "tests/delta/store/crash/crash_sweep.h"
#include "tests/delta/store/crash/store_image.h"
#include "tests/delta/store/crash/store_script.h"

namespace dgfs::test {

/// How much follows a stop. A value.
struct ExplorerOptions {
  /// The recovery is stopped at every so many of its calls; 0: never.
  std::uint64_t recovery_stride = 1;
  /// Where only the process ended, the machine stops at every so many calls later.
  std::uint64_t later_stride = 1;
};

/// A crash point is one stop of the machine, and the look at what it left.
class CrashExplorer {
 public:
  /// @param base  what scripts begin with; empty: nothing, so that they make a store
  CrashExplorer(StoreImage base, const ExplorerOptions& options);

  /// The machine stops in the script, and again in the recovery. Ends at the first failure, and
  /// does nothing after one.
  void stop_machine(const Script& script);
  /// The process ends in the script, and the machine, which goes on with all that was written, in
  /// another script after it.
  void end_process(const Script& script, const Script& after);

  [[nodiscard]] const CrashTally& tally() const { return tally_; }

 private:
  struct FirstStop {
    std::uint64_t call = 0;
    storage::CrashLoss loss = storage::CrashLoss::kKeepAll;
  };

  [[nodiscard]] bool stop_first(const Script& script, std::uint64_t call);
  void stop_recoveries(const Script& script, const FirstStop& stop);
  void stop_later(const Script& script, std::uint64_t call, const Script& after);
  void crash(storage::MemoryEnv& disk, storage::CrashLoss loss, std::uint64_t call);
  void look(storage::MemoryEnv& disk, const CrashHistory& history, const std::string& what);

  StoreImage base_;
  Values base_values_;
  ExplorerOptions options_;
  CrashTally tally_;
};

/// What scripts begin with.
enum class Base : std::uint8_t {
  kNothing,
  kEmpty,  ///< a store that was made
  kDeep,   ///< a tree of several levels with runs that wait, and groups that it has not
  kOver,   ///< the same where something may lie below each key, so that it has a filter
};
[[nodiscard]] StoreImage make_base(Base base);

/// What a machine has left can be opened, has values of the history, keeps all rules, and goes on.
void expect_recovered(storage::MemoryEnv& disk, const delta::StoreOptions& options,
                      const CrashHistory& history);

}  // namespace dgfs::test
