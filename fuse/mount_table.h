// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The mount table of this process, as the kernel shows it (proc_pid_mountinfo(5)).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// A line of the table. A value.
struct MountEntry {
  std::string device;         ///< its number ("0:52")
  std::string options;        ///< of the mount, separated by commas ("rw,nosuid")
  std::string type;           ///< of the file system ("fuse.dgfs")
  std::string super_options;  ///< of the file system, wherever it is mounted ("ro,sync")
  std::string number;         ///< of the mount in the table ("40")
};

/// The mount that was made last on `mount_point`.
/// @param table        as /proc/self/mountinfo shows it
/// @param mount_point  absolute, without links
[[nodiscard]] std::optional<MountEntry> find_mount(std::string_view table,
                                                   std::string_view mount_point);

/// The mount point of a mount inside another mount; nullopt: there is none.
/// @param number  number of the outer mount (MountEntry::number)
[[nodiscard]] std::optional<std::string> find_mount_below(std::string_view table,
                                                          std::string_view number);

/// Errors: those of reading the file.
[[nodiscard]] Result<std::string> read_mount_table(storage::Env& env);

}  // namespace dgfs::fuse
