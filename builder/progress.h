// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Progress: tells the caller how far the build is, a few times a second at most.
#pragma once

#include <functional>

#include "builder/options.h"
#include "builder/read/hashed_zeros.h"
#include "storage/env.h"

namespace dgfs::builder {

/// Used by one thread, the one that called build().
class ProgressMeter {
 public:
  ProgressMeter(const storage::Env& env, const std::function<void(const Progress&)>& report)
      : env_(env), report_(report) {}

  /// Begins a phase, and reports it at once.
  void begin(Phase phase);
  /// What is known; reported if the last report was long enough ago.
  void update();
  /// To be changed by the stages; then update().
  Progress& state() { return state_; }
  /// Counted by the threads that make digests, and told as if it were packed.
  HashedZeros& hashed_zeros() { return hashed_zeros_; }

 private:
  void report();

  const storage::Env& env_;
  const std::function<void(const Progress&)>& report_;
  Progress state_;
  HashedZeros hashed_zeros_ = 0;
  std::uint64_t last_report_ns_ = 0;
};

}  // namespace dgfs::builder
