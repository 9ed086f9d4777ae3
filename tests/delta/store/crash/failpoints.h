// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Failpoints: the moments between two steps of the store's protocol, by name, and how often a
// machine stopped at each. The test recognises them by calls at the storage alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/memory/env.h"
#include "tests/delta/store/crash/stopping_env.h"

namespace dgfs::test {

/// Counts stops.
class Failpoints {
 public:
  Failpoints();

  /// @param loss  what became of unsynced bytes: if a machine stops at a sync and keeps them all,
  ///              the sync has made them durable, but the caller did not learn of it
  void count(const StoppingEnv& stopped, storage::CrashLoss loss);
  void add(const Failpoints& other);

  /// The count of the failpoint that was hit least often.
  [[nodiscard]] std::uint64_t count_min() const;
  /// One line for each failpoint: its count and its name.
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace dgfs::test
