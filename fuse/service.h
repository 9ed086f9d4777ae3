// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Service: what every request needs, for all kinds of mount: the tree, a clock, the log, and the
// counters. One per mount, passed to libfuse as the session's user data.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "fuse/damage_log.h"
#include "fuse/file_system.h"
#include "fuse/statistics/request_counters.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Immutable while serving, except the log and the counters, which are thread-safe.
struct Service {
  FileSystem& file_system;
  storage::Env& env;  ///< provides the clock
  DamageLog& log;
  RequestCounters& counters;
  /// Runs once, at the first request after those that set up the connection.
  std::function<void()> on_first_request;
  std::once_flag first_request;
  std::uint64_t begin_ns = 0;         ///< when serving began, by the monotonic clock
  std::atomic<bool> is_ring = false;  ///< requests come through io_uring, not through the device
  bool was_served = false;            ///< serving has begun
};

}  // namespace dgfs::fuse
