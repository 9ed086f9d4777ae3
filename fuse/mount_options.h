// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The options of mount().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fuse/statistics/request_counters.h"
#include "reader/open_options.h"

namespace dgfs::fuse {

/// Shows the progress of check=all. Called from one thread.
struct CheckProgress {
  /// After each page: bytes checked so far, and the total, over the pages of both index copies.
  std::function<void(std::uint64_t bytes, std::uint64_t bytes_total)> show;
  std::function<void()> hide;  ///< called before a line of the log, and at the end
};

struct MountOptions {
  std::string image_path;
  /// `open.warn` is called in addition to the logger. Options index= and check= replace its
  /// members.
  reader::OpenOptions open;
  std::string mount_point;  ///< an existing directory
  /// The values of -o, each already split at its commas; see mount_arguments.h.
  std::vector<std::string> options;
  bool foreground = false;       ///< stay attached to the terminal
  CheckProgress check_progress;  ///< may be empty
  /// Receives one line about a delta that is new or was recovered; may be empty.
  std::function<void(const std::string&)> tell;
  bool dry_run = false;  ///< do everything but mount: open, check, and return
  /// The most requests served at once; 0: threads= in `options`, or a number chosen by the cores.
  unsigned threads = 0;
  /// Counts requests while serving; must outlive mount(). May lie in memory shared with another
  /// process. Null: mount() has its own.
  RequestCounters* counters = nullptr;
};

}  // namespace dgfs::fuse
