// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Failpoints: the moments between two steps of the store's protocol, by name, and how often a
// machine stopped at each. They are told from calls at the storage alone.
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

  /// @param loss  what became of that which was not synced: a machine that stopped at a sync and
  ///              kept all of it had made it durable, and told nobody
  void count(const StoppingEnv& stopped, storage::CrashLoss loss);
  void add(const Failpoints& other);

  /// Of the one that was hit the least.
  [[nodiscard]] std::uint64_t count_min() const;
  /// A line for each: how often, and the name.
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace dgfs::test
