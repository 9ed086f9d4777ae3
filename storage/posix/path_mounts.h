// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The mounts that a path leads through.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// Whether a path leads into a file system, on its way or at its end; links are followed. Looks at
/// the path piece by piece and stops where it enters that file system, so it sends no request to
/// it: a server may ask this about its own mount. A path that leads nowhere does not lead into it.
/// @param device  number of the file system, as MountIdentity::device
/// Cost: some system calls for each piece. Thread-safe.
[[nodiscard]] bool leads_into(const std::string& path, std::uint64_t device);

}  // namespace dgfs::storage
