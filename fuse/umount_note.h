// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// UmountNote: makes umount(8) of root call the umount helper. For a path from the root, umount(8)
// asks statfs(2) for the type of the file system. That says "fuse" for every FUSE mount, and there
// is no helper of that name. If libmount's own table (/run/mount/utab) has a line about the mount,
// umount(8) looks in the kernel's table instead, which says "fuse.dgfs".
#pragma once

#include <string>

#include "storage/env.h"

namespace dgfs::fuse {

/// The note about one mount. For one thread.
class UmountNote {
 public:
  /// Notes the mount, if the caller is root, the helper is installed and mount(8) does it.
  /// Otherwise umount(8) works as well, and does not wait for the server. Cost: runs mount(8).
  /// @param env          must outlive the note
  /// @param source       the image, for those who read the table
  /// @param mount_point  absolute, without links
  UmountNote(storage::Env& env, const std::string& source, const std::string& mount_point);
  /// Takes the note away, unless something is mounted there.
  ~UmountNote();
  UmountNote(const UmountNote&) = delete;
  UmountNote& operator=(const UmountNote&) = delete;

 private:
  storage::Env& env_;
  const std::string mount_point_;
  bool is_made_ = false;
};

}  // namespace dgfs::fuse
