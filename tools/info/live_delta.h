// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <optional>
#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// Prints what the mount that has a delta open tells of it. Returns the exit code; nullopt: nobody
/// has it open who could be asked, or it is being closed.
[[nodiscard]] std::optional<int> show_live_delta(const Session& session,
                                                 const std::string& directory, bool json);

}  // namespace dgfs::tools
