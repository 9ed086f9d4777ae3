// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Unmounting for ordinary users.
#pragma once

#include <string>

namespace dgfs::fuse {

/// Unmounts as an ordinary user, by fusermount3(1). Returns whether it did.
/// @param lazily  even if files in the mount are open
[[nodiscard]] bool unmount_as_user(const std::string& mount_point, bool lazily);

}  // namespace dgfs::fuse
