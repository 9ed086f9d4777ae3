// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// What dgfs delta compact is to do. A value.
struct CompactOptions {
  bool dry_run = false;
  bool cancels = false;  ///< gives up the join of the mount instead
  bool quiet = false;
  bool json = false;
};

/// Joins the layers of a delta that no name, pin or process keeps apart, in the mount if the delta
/// is mounted for writing. Tells beforehand how many bytes that takes. Returns the exit code.
[[nodiscard]] int compact_delta(const Session& session, const std::string& directory,
                                const CompactOptions& options);

}  // namespace dgfs::tools
