// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <optional>
#include <string>

#include "delta/merge/merge_request.h"
#include "tools/cli/session.h"
#include "tools/paths/image_argument.h"

namespace dgfs::tools {

/// Options of dgfs delta merge. A value.
struct MergeDeltaOptions {
  merge::MergeRequest request;
  bool cancels = false;
  std::optional<std::string> image_path;  ///< for a delta that is not mounted
  ImageOptions image_options;
  bool quiet = false;
  bool json = false;
};

/// Merges a delta: has the mount do it, if the delta is mounted, else does it here; or cancels a
/// merge of a mount. Prints what was done. Returns the exit code.
[[nodiscard]] int merge_delta(const Session& session, const std::string& directory,
                              const MergeDeltaOptions& options);

}  // namespace dgfs::tools
