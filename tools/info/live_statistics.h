// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs info --live: prints what a mount has done since it began, from its server's statistics.
#pragma once

#include <optional>
#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// The statistics of a mount, one JSON object (see fuse/statistics/statistics.h), as text for
/// people. Errors: kCorrupt (not such an object).
[[nodiscard]] Result<std::string> live_statistics_text(const std::string& json);

/// How a mount was mounted, according to its statistics. A value.
struct LiveMount {
  std::optional<std::string> delta_path;  ///< nullopt: the mount has no delta
  bool is_read_only = true;               ///< state when it was mounted
};
/// Asks the mount on `directory`. Errors: kNotFound (no image is mounted there), kCorrupt, kIo.
[[nodiscard]] Result<LiveMount> live_mount(const std::string& directory);

/// Prints such statistics, as JSON if `json` is set. Returns an exit code.
[[nodiscard]] int print_statistics(const Session& session, const std::string& statistics,
                                   bool json);

/// Prints the statistics of the image mounted on `directory`. Returns an exit code.
[[nodiscard]] int print_live_statistics(const Session& session, const std::string& directory,
                                        bool json);

}  // namespace dgfs::tools
