// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// dgfs delta log: lists the states of a delta, the newest first, and the image. It needs no lock,
/// so it works beside a mount. Returns the exit code.
[[nodiscard]] int list_states(const Session& session, const std::string& directory, bool json);

}  // namespace dgfs::tools
