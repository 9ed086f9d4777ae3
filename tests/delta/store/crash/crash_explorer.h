// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CrashExplorer: stops a machine at every storage call of a script, with each kind of loss, and
// again during the recovery, and checks the store that is left.
#pragma once

#include <cstdint>
#include <string>

#include "tests/delta/store/crash/crash_sweep.h"
#include "tests/delta/store/crash/store_image.h"
#include "tests/delta/store/crash/store_script.h"

namespace dgfs::test {

/// How many further stops follow the first one. A value.
struct ExplorerOptions {
  /// Stops the recovery at every n-th of its calls; 0: never.
  std::uint64_t recovery_stride = 1;
  /// After the end of a process, stops the machine at every n-th later call.
  std::uint64_t later_stride = 1;
};

/// A crash point is one stop of the machine, with the check of the store that is left.
class CrashExplorer {
 public:
  /// @param base  the store with which scripts begin; empty: they make one
  CrashExplorer(StoreImage base, const ExplorerOptions& options);

  /// Stops the machine in the script, and again in the recovery. Ends at the first failure, and
  /// does nothing after one.
  void stop_machine(const Script& script);
  /// Ends the process in the script. The machine keeps all writes, and stops in a later script.
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

/// The store with which scripts begin.
enum class Base : std::uint8_t {
  kNothing,
  kEmpty,  ///< a store without keys
  kDeep,  ///< a tree of several levels with waiting runs, and groups in the log that the tree lacks
  kOver,  ///< the same, with a filter, because something may lie below each key
};
[[nodiscard]] StoreImage make_base(Base base);

/// Expects that the store on a stopped machine opens, has values of the history, keeps all rules,
/// and works.
void expect_recovered(storage::MemoryEnv& disk, const delta::StoreOptions& options,
                      const CrashHistory& history);

}  // namespace dgfs::test
