// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What every request needs: the image, where to complain, what to count. One per mount, passed to
// libfuse as the session's user data.
#pragma once

#include <functional>
#include <mutex>

#include "format/header/superblock.h"
#include "fuse/ahead/prefetcher.h"
#include "fuse/attributes.h"
#include "fuse/damage_log.h"
#include "fuse/statistics/request_counters.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// Immutable while serving, but for the log and the counters, which are thread-safe.
struct Server {
  const reader::Image& image;
  DamageLog& log;
  RequestCounters& counters;
  Prefetcher& prefetcher;
  AttributeOverrides overrides;
  /// Done once, when the first request comes after those that make the connection.
  std::function<void()> on_first_request;
  std::once_flag first_request;
  std::uint64_t begin_ns = 0;        ///< when serving began, by the monotonic clock
  std::uint64_t max_read_bytes = 0;  ///< what -o max_read says; 0 = the kernel's choice
  /// Whether the kernel takes ENOSYS for OPEN and OPENDIR as "never ask, cache everything". Set
  /// once, by the first request of a connection.
  bool opens_unanswered = false;
  bool directory_opens_unanswered = false;

  [[nodiscard]] bool has_xattrs() const {
    return (image.superblock().compat & format::feature::kCompatXattrs) != 0;
  }
  [[nodiscard]] bool has_acls() const {
    return !overrides.any() && (image.superblock().compat & format::feature::kCompatAcls) != 0;
  }
  [[nodiscard]] bool has_holes() const {
    return image.superblock().section(format::SectionKind::kSparseMaps).length_bytes != 0;
  }
};

}  // namespace dgfs::fuse
