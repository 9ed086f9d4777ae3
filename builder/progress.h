// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Progress: reports the progress of a build to the caller, at most a few times a second.
#pragma once

#include <functional>

#include "builder/options.h"
#include "builder/read/hashed_zeros.h"
#include "storage/env.h"

namespace dgfs::builder {

/// For one thread, the one that called build().
class ProgressMeter {
 public:
  ProgressMeter(const storage::Env& env, const std::function<void(const Progress&)>& report)
      : env_(env), report_(report) {}

  /// Begins a phase, and reports it at once.
  void begin(Phase phase);
  /// Reports state() if the last report was long enough ago.
  void update();
  /// The stages change it, and then call update().
  Progress& state() { return state_; }
  /// The threads that make digests count here. Reports add it to the packed content.
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
