// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/dead_mount.h"

#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>

#include "fuse/mount_table.h"

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

}  // namespace

Result<bool> remove_dead_mount(storage::Env& env, const std::string& mount_point) {
  const auto status = env.status(mount_point);
  if (status || status.error().os_errno() != ENOTCONN) return false;
  DGFS_TRY(table, read_mount_table(env));
  const auto mount = find_mount(table, mount_point);
  if (!mount || mount->type != "fuse.dgfs") return false;
  if (::umount2(mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) return true;
  const int os_errno = errno;
  if (os_errno == EPERM && unmount_as_user(mount_point)) return true;
  return Error(os_errno == EPERM ? ErrorKind::kPermission : ErrorKind::kIo, 5033,
               "cannot unmount what an earlier mount has left here")
      .in_file(mount_point)
      .with_errno(os_errno);
}

}  // namespace dgfs::fuse
