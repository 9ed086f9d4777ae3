// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/status.h"

namespace dgfs::storage {
namespace {

Time to_time(const timespec& time) {
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

}  // namespace

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
