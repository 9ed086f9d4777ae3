// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Ends a mount, as umount(8) does without a helper.
#pragma once

#include <string>

#include "base/result.h"

namespace dgfs::fuse {

/// A value.
struct UnmountOptions {
  bool is_lazy = false;    ///< only takes the mount away from the tree of names
  bool is_forced = false;  ///< ends requests that wait for the server
};

/// Unmounts what is mounted on a directory. If only its owner may do so and the caller is that,
/// calls fusermount3(1), which writes its reason to the error output. Errors: kPermission, kBusy
/// (in use), kInvalidArgument (nothing is mounted there), kIo.
[[nodiscard]] Status unmount(const std::string& mount_point, const UnmountOptions& options);

/// Unmounts as an ordinary user, by fusermount3(1). Returns whether it did.
/// @param is_lazy  even if files in the mount are open
[[nodiscard]] bool unmount_as_user(const std::string& mount_point, bool is_lazy);

}  // namespace dgfs::fuse
