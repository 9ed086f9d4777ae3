// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/dead_mount.h"

#include <sys/statvfs.h>

#include <cerrno>

#include "fuse/mount_table.h"
#include "fuse/unmount.h"

namespace dgfs::fuse {

// The kernel answers stat(2) from cached attributes, even if no process serves the mount any more.
// statvfs(2) always asks the server: a request that is waiting when the server ends gets
// ECONNABORTED, or ECANCELED from a ring, and a later one ENOTCONN. If the server ended before the
// kernel and it had agreed on the protocol, requests get ECONNREFUSED.
bool is_served(const std::string& mount_point) {
  struct statvfs space {};
  return ::statvfs(mount_point.c_str(), &space) == 0 ||
         (errno != ENOTCONN && errno != ECONNREFUSED && errno != ECONNABORTED &&
          errno != ECANCELED);
}

Result<bool> remove_dead_mount(storage::Env& env, const std::string& mount_point) {
  const auto table = read_mount_table(env);
  if (!table) return false;  // no /proc here
  const auto mount = find_mount(table.value(), mount_point);
  if (!mount || mount->type != "fuse.dgfs" || is_served(mount_point)) return false;
  if (const auto below = find_mount_below(table.value(), mount->number)) {
    return Error(ErrorKind::kBusy, 5036,
                 "a mount whose process was killed cannot be replaced while " + *below +
                     " is mounted below it; unmount that first")
        .in_file(mount_point);
  }
  DGFS_CHECK(unmount(mount_point, {.is_lazy = true}));
  return true;
}

}  // namespace dgfs::fuse
