// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/dead_mount.h"

#include <spawn.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>

#include "fuse/mount_table.h"
#include "storage/posix/os_error.h"

namespace dgfs::fuse {
namespace {

bool unmount_as_user(const std::string& mount_point) {
  std::array<std::string, 5> words{"fusermount3", "-u", "-z", "--", mount_point};
  std::array<char*, 6> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  std::array<char*, 1> environment{};
  pid_t child = 0;
  if (::posix_spawnp(&child, "fusermount3", nullptr, nullptr, arguments.data(),
                     environment.data()) != 0) {
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The kernel answers stat(2) from cached attributes, even if no process serves the mount any more.
// statvfs(2) always asks the server: a request that is waiting when the server ends gets
// ECONNABORTED, or ECANCELED from a ring, and a later one ENOTCONN.
bool is_served(const std::string& mount_point) {
  struct statvfs space {};
  return ::statvfs(mount_point.c_str(), &space) == 0 ||
         (errno != ENOTCONN && errno != ECONNABORTED && errno != ECANCELED);
}

}  // namespace

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
  if (::umount2(mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) return true;
  const int os_errno = errno;
  if (os_errno == EPERM && unmount_as_user(mount_point)) return true;
  return storage::os_error(5033, os_errno, "unmount the mount whose process was killed",
                           mount_point);
}

}  // namespace dgfs::fuse
