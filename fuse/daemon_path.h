// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths for a daemon, which leaves its working directory and opens files later.
#pragma once

#include <string>

namespace dgfs::fuse {

/// The path from the root without links. A path that cannot be resolved is returned unresolved, and
/// fails where it is used.
[[nodiscard]] std::string absolute(const std::string& path);
/// The same for a mount point that may not answer because its server is dead: only its parent
/// directory must exist.
[[nodiscard]] std::string absolute_mount_point(const std::string& path);
/// The path from the root. Keeps links, because further files are searched beside them.
[[nodiscard]] std::string from_root(const std::string& path);

}  // namespace dgfs::fuse
