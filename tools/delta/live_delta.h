// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <optional>
#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// Prints the report of the mount that has a delta open. Returns the exit code; nullopt if no
/// process that answers has the delta open, or if the delta is being closed.
[[nodiscard]] std::optional<int> show_live_delta(const Session& session,
                                                 const std::string& directory, bool json);

}  // namespace dgfs::tools
