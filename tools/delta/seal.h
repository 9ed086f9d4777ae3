// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// dgfs delta seal: makes what a delta holds a layer, and prints the new state. Returns the exit
/// code.
/// @param name  of the state; empty: none
[[nodiscard]] int seal_delta(const Session& session, const std::string& directory,
                             const std::string& name, bool json);

}  // namespace dgfs::tools
