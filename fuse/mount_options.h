// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Wishes of the caller of mount().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fuse/statistics/request_counters.h"
#include "reader/open_options.h"

namespace dgfs::fuse {

/// Is told how far check=all has come. For one thread.
struct CheckProgress {
  /// After each page: bytes of pages of both index copies, and how many there are.
  std::function<void(std::uint64_t bytes, std::uint64_t bytes_total)> show;
  std::function<void()> hide;  ///< before a line of the log, and at the end
};

struct MountOptions {
  std::string image_path;
  /// Its `warn` is called beside the logger. Options index= and check= replace its members.
  reader::OpenOptions open;
  std::string mount_point;  ///< an existing directory
  /// What follows -o, each already split at its commas; see mount_arguments.h.
  std::vector<std::string> options;
  bool foreground = false;       ///< stay attached to the terminal
  CheckProgress check_progress;  ///< may be empty
  /// Is told in one line of a delta that is new, or was recovered; may be empty.
  std::function<void(const std::string&)> tell;
  bool dry_run = false;  ///< do all but mount: opens, checks, and returns
  /// Serving at once at most; 0 = what threads= of `options` says, or chosen by the cores.
  unsigned threads = 0;
  /// Counts requests while serving, where given; must outlive mount(). May lie in memory shared
  /// with another process.
  RequestCounters* counters = nullptr;
};

}  // namespace dgfs::fuse
