// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/status.h"

#include <fcntl.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>

namespace dgfs::storage {
namespace {

Time to_time(const timespec& time) {
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

// File systems that keep the inode number and the birth time of a file as long as it exists, as
// numbers of statfs(2). Others may not: FAT makes numbers up at each mount, FUSE leaves them to its
// server, overlayfs changes them when it copies a file up.
constexpr std::array<std::uint32_t, 7> kStableFileSystems = {
    0x0000EF53,  // ext2, ext3, ext4
    0x58465342,  // XFS
    0x9123683E,  // btrfs
    0x01021994,  // tmpfs
    0xF2F52010,  // F2FS
    0x2FC12FC1,  // ZFS
    0xCA451A4E,  // bcachefs
};

bool is_on_stable_file_system(int fd) {
  struct statfs status {};
  if (::fstatfs(fd, &status) != 0) return false;
  return std::ranges::find(kStableFileSystems, static_cast<std::uint32_t>(status.f_type)) !=
         kStableFileSystems.end();
}

}  // namespace

// Numbers are used again: without the time of birth, a copy on a new disk could have the numbers of
// its original.
std::optional<FileIdentity> identity_of(int fd) {
  struct statx status {};
  if (!is_on_stable_file_system(fd) ||
      ::statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0 ||
      (status.stx_mask & STATX_BTIME) == 0) {
    return std::nullopt;
  }
  return FileIdentity{status.stx_ino, {status.stx_btime.tv_sec, status.stx_btime.tv_nsec}};
}

FileStatus to_file_status(const struct stat& status) {
  FileStatus out;
  out.device = status.st_dev;
  out.inode = status.st_ino;
  out.mode = status.st_mode;
  out.link_count = status.st_nlink;
  out.uid = status.st_uid;
  out.gid = status.st_gid;
  out.rdev = status.st_rdev;
  out.size_bytes = static_cast<std::uint64_t>(status.st_size);
  out.allocated_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512;
  out.access_time = to_time(status.st_atim);
  out.modify_time = to_time(status.st_mtim);
  out.change_time = to_time(status.st_ctim);
  return out;
}

timespec to_timespec(const Time& time) {
  timespec out{};
  out.tv_sec = time.seconds;
  out.tv_nsec = static_cast<decltype(out.tv_nsec)>(time.nanoseconds);
  return out;
}

}  // namespace dgfs::storage
