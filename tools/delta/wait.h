// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta wait: waits until a delta is closed, so that its directory can be copied.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cli/session.h"

namespace dgfs::tools {

/// How wait_until_closed() waits. A value.
struct ClosedWait {
  std::uint64_t seconds_max = 0;     ///< 0: without end
  std::uint64_t silent_seconds = 0;  ///< it says only later whom it waits for
};

/// Waits until no process has a delta open for writing, and says once whom it waits for. Returns an
/// exit code: done if the delta was closed in good order, so that all of it is in its files.
[[nodiscard]] int wait_until_closed(const Session& session, const std::string& directory,
                                    const ClosedWait& how);

}  // namespace dgfs::tools
