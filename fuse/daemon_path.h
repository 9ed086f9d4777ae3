// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths that a daemon, which leaves its working directory, opens when it needs them.
#pragma once

#include <string>

namespace dgfs::fuse {

/// Without links. A path that cannot be resolved is left to fail where it is used.
[[nodiscard]] std::string absolute(const std::string& path);
/// The same of the directory that a path lies in; its last name is left as it is.
[[nodiscard]] std::string absolute_name(const std::string& path);
/// From the root on. Links are kept, since files are looked for beside them.
[[nodiscard]] std::string from_root(const std::string& path);

}  // namespace dgfs::fuse
