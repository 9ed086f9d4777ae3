// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/mount_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include "storage/posix/os_error.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {
namespace {

// Newer than the headers of the systems that we build on.
constexpr unsigned kStatxUniqueMount = 0x4000;

}  // namespace

// O_PATH opens nothing in the file system, and AT_STATX_DONT_SYNC asks only the kernel.
Result<MountIdentity> mount_of(const std::string& directory) {
  const UniqueFd fd(retry_interrupted(
      [&] { return ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
  if (!fd) return os_error(1264, errno, "open", directory);
  return mount_of(fd.get(), directory);
}

Result<MountIdentity> mount_of(int fd, const std::string& path) {
  struct statx found {};
  const unsigned wanted = STATX_MNT_ID | kStatxUniqueMount;
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, &found) != 0) {
    return os_error(1265, errno, "find the mount of", path);
  }
  if ((found.stx_mask & wanted) == 0) {
    return Error(ErrorKind::kUnsupported, 1266, "the kernel does not tell its mount").in_file(path);
  }
  return MountIdentity{.number = found.stx_mnt_id,
                       .device = ::makedev(found.stx_dev_major, found.stx_dev_minor),
                       .is_unique = (found.stx_mask & kStatxUniqueMount) != 0};
}

}  // namespace dgfs::storage
