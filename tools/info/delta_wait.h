// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta wait: waits until a delta is closed, so that its directory can be copied.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// Waits until no process has a delta open for writing, and says once whom it waits for. Returns an
/// exit code: done if the delta was closed in good order, so that all of it is in its files.
/// @param seconds_max  how long it waits; 0: without end
[[nodiscard]] int wait_until_closed(const Session& session, const std::string& directory,
                                    std::uint64_t seconds_max);

}  // namespace dgfs::tools
