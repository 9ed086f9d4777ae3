// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The mount of a directory.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// A mount. A value. Two identities with is_unique are equal only for the same mount; of the
/// others, the numbers of a mount that is gone may come back for a new one.
struct MountIdentity {
  std::uint64_t number = 0;  ///< of the mount
  std::uint64_t device = 0;  ///< of its file system, as FileStatus::device
  bool is_unique = false;    ///< `number` is never used again (from Linux 6.8 on)

  friend bool operator==(const MountIdentity&, const MountIdentity&) = default;
};

/// The mount that holds a directory; the directory may be its root. Asks no server for anything
/// about the directory itself, so it works for a mount whose server is dead or is the caller.
/// Errors: those of open(2) for its parents, kUnsupported (before Linux 5.8).
[[nodiscard]] Result<MountIdentity> mount_of(const std::string& directory);
/// The same for an open file or directory.
[[nodiscard]] Result<MountIdentity> mount_of(int fd, const std::string& path);

}  // namespace dgfs::storage
