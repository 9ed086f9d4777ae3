// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/unmount.h"

#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cerrno>
#include <vector>

#include "storage/posix/os_error.h"

namespace dgfs::fuse {
namespace {

Error refusal(int os_errno, const std::string& mount_point) {
  if (os_errno == EBUSY) {
    return Error(ErrorKind::kBusy, 5075, "is in use").in_file(mount_point).with_errno(os_errno);
  }
  if (os_errno == EINVAL) {
    return Error(ErrorKind::kInvalidArgument, 5076, "nothing is mounted there")
        .in_file(mount_point)
        .with_errno(os_errno);
  }
  return storage::os_error(5077, os_errno, "unmount", mount_point);
}

}  // namespace

bool unmount_as_user(const std::string& mount_point, bool is_lazy) {
  std::vector<std::string> words{"fusermount3", "-u"};
  if (is_lazy) words.emplace_back("-z");
  words.insert(words.end(), {"--", mount_point});
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* environment[] = {nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, "fusermount3", nullptr, nullptr, arguments.data(), environment) != 0) {
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Status unmount(const std::string& mount_point, const UnmountOptions& options) {
  const int flags =
      UMOUNT_NOFOLLOW | (options.is_lazy ? MNT_DETACH : 0) | (options.is_forced ? MNT_FORCE : 0);
  if (::umount2(mount_point.c_str(), flags) == 0) return ok();
  const int os_errno = errno;
  if (os_errno == EPERM && unmount_as_user(mount_point, options.is_lazy)) return ok();
  return refusal(os_errno, mount_point);
}

}  // namespace dgfs::fuse
