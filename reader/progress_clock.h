// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ProgressClock: tells one of several threads when to report progress again.
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/env.h"

namespace dgfs::reader {

class ProgressClock {
 public:
  explicit ProgressClock(const storage::Env& env) : env_(env), next_ns_(env.monotonic_ns()) {}

  /// True for one call in each kIntervalNs.
  bool due() {
    const auto now_ns = env_.monotonic_ns();
    auto next_ns = next_ns_.load(std::memory_order_relaxed);
    return now_ns >= next_ns && next_ns_.compare_exchange_strong(next_ns, now_ns + kIntervalNs);
  }

 private:
  static constexpr std::uint64_t kIntervalNs = 200'000'000;

  const storage::Env& env_;
  std::atomic<std::uint64_t> next_ns_;
};

}  // namespace dgfs::reader
