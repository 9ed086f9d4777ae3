// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/view_attributes.h"

#include "format/limits.h"
#include "fuse/attributes.h"

namespace dgfs::fuse {
namespace {

timespec timespec_of(const Time& time) {
  return {.tv_sec = time.seconds, .tv_nsec = static_cast<long>(time.nanoseconds)};
}

}  // namespace

struct stat to_stat(view::ObjectNumber object, const view::Attributes& attributes) {
  struct stat out {};
  out.st_ino = object;
  out.st_mode = attributes.mode;
  out.st_nlink = attributes.link_count;
  out.st_uid = attributes.uid;
  out.st_gid = attributes.gid;
  out.st_rdev = attributes.rdev;
  out.st_size = static_cast<off_t>(attributes.size_bytes);
  out.st_blksize = format::kFrameBytes;
  out.st_blocks = static_cast<blkcnt_t>(attributes.blocks);
  out.st_mtim = timespec_of(attributes.mtime);
  out.st_ctim = timespec_of(attributes.ctime);
  out.st_atim = timespec_of(attributes.atime);
  return out;
}

struct stat to_short_stat(view::ObjectNumber object, std::uint32_t type) {
  struct stat out {};
  out.st_ino = object;
  out.st_mode = type;
  return out;
}

fuse_entry_param to_entry(const view::Entry& entry) {
  fuse_entry_param out{};
  out.ino = entry.object;
  out.attr = to_stat(entry.object, entry.attributes);
  out.attr_timeout = kForeverSeconds;
  out.entry_timeout = kForeverSeconds;
  return out;
}

Time to_time(const timespec& time) {
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

struct statvfs to_statvfs(const view::ViewSpace& space) {
  constexpr std::uint64_t kUnitBytes = format::kPageBytes;
  struct statvfs out {};
  out.f_bsize = kUnitBytes;
  out.f_frsize = kUnitBytes;
  out.f_blocks = space.total_bytes() / kUnitBytes;
  out.f_bfree = (space.free_bytes + space.reserved_bytes) / kUnitBytes;
  out.f_bavail = space.free_bytes / kUnitBytes;
  out.f_namemax = format::kNameBytesMax;
  return out;
}

}  // namespace dgfs::fuse
