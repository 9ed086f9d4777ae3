// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// WaitingTimes: how long writers of a store have waited, by reason.
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/env.h"

namespace dgfs::delta {

/// Thread-safe.
struct WaitingTimes {
  std::atomic<std::uint64_t> log_ns = 0;    ///< a group of the log was full
  std::atomic<std::uint64_t> tree_ns = 0;   ///< maintenance was behind
  std::atomic<std::uint64_t> space_ns = 0;  ///< large values needed space
};

/// Adds its lifetime to one of them.
class WaitingTimer {
 public:
  /// @param env  whose clock it uses; both must outlive this
  WaitingTimer(const storage::Env& env, std::atomic<std::uint64_t>& total_ns)
      : env_(env), total_ns_(total_ns), begin_ns_(env.monotonic_ns()) {}
  ~WaitingTimer() { total_ns_ += env_.monotonic_ns() - begin_ns_; }
  WaitingTimer(const WaitingTimer&) = delete;
  WaitingTimer& operator=(const WaitingTimer&) = delete;

 private:
  const storage::Env& env_;
  std::atomic<std::uint64_t>& total_ns_;
  const std::uint64_t begin_ns_;
};

}  // namespace dgfs::delta
