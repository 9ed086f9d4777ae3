// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Service: what every request needs, whatever is mounted: the tree, a clock, where to complain,
// what to count. One per mount, passed to libfuse as the session's user data.
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

/// Immutable while serving, but for the log and the counters, which are thread-safe.
struct Service {
  FileSystem& file_system;
  storage::Env& env;  ///< its clock
  DamageLog& log;
  RequestCounters& counters;
  /// Done once, when the first request comes after those that make the connection.
  std::function<void()> on_first_request;
  std::once_flag first_request;
  std::uint64_t begin_ns = 0;         ///< when serving began, by the monotonic clock
  std::atomic<bool> is_ring = false;  ///< how requests come: through io_uring, or by the device
};

}  // namespace dgfs::fuse
