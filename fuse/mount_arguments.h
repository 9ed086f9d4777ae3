// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// -o options: which are known, and what becomes of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace dgfs::fuse {

/// -o options in the form that libfuse takes them.
struct MountArguments {
  std::vector<std::string> arguments;  ///< "-oNAME" or "-oNAME=VALUE", commas in values escaped
  std::uint64_t max_read_bytes = 0;    ///< max_read=; 0 = the kernel's choice
};

/// Understands what mount(8) users write:
/// - ro (always on); rw is taken and has no effect, since mount(8) passes it unasked;
/// - dev suid exec async sync dirsync noatime and their opposites, nosuid and nodev by default;
/// - atime relatime diratime ...: taken without effect, a mount that is never written has no use;
/// - allow_other, allow_root, default_permissions (always on), auto_unmount;
/// - fsname= (default: the image's path), subtype= (default: dgfs), max_read=;
/// - what mount(8) and fstab keep for themselves (defaults, noauto, nofail, user, _netdev, x-...).
///
/// @param source  the image's path, shown as the mounted device
/// Errors: kInvalidArgument, naming the option, for all others and for bad values.
[[nodiscard]] Result<MountArguments> mount_arguments(std::span<const std::string> options,
                                                     const std::string& source);

}  // namespace dgfs::fuse
