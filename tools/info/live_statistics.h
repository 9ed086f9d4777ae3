// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs info --live: what a mount has done since it began, as its server tells it.
#pragma once

#include <optional>
#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// The statistics of a mount, one JSON object (see fuse/statistics/statistics.h), as text for
/// people. Errors: kCorrupt (not such an object).
[[nodiscard]] Result<std::string> live_statistics_text(const std::string& json);

/// How a mount was mounted, by its statistics. A value.
struct LiveMount {
  std::optional<std::string> delta_path;  ///< nullopt: an image alone
  bool is_read_only = true;               ///< as it was mounted first
};
/// Asks the mount on `directory`. Errors: kNotFound (no image is mounted there), kCorrupt, kIo.
[[nodiscard]] Result<LiveMount> live_mount(const std::string& directory);

/// Prints such an object, as JSON if that is wanted. Returns an exit code.
[[nodiscard]] int print_statistics(const Session& session, const std::string& statistics,
                                   bool json);

/// Prints the statistics of the image mounted on `directory`. Returns an exit code.
[[nodiscard]] int print_live_statistics(const Session& session, const std::string& directory,
                                        bool json);

}  // namespace dgfs::tools
