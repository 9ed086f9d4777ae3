// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths that a daemon, which leaves its working directory, opens when it needs them.
#pragma once

#include <string>

namespace dgfs::fuse {

/// Without links. A path that cannot be resolved is left to fail where it is used.
[[nodiscard]] std::string absolute(const std::string& path);
/// Likewise of a directory that may not answer, as its server is dead: only the directory that it
/// lies in must be there.
[[nodiscard]] std::string absolute_mount_point(const std::string& path);
/// From the root on. Links are kept, since files are looked for beside them.
[[nodiscard]] std::string from_root(const std::string& path);

}  // namespace dgfs::fuse
