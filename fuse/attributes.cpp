// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/attributes.h"

#include <algorithm>
#include <array>

#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint64_t kStatBlockBytes = 512;
constexpr std::uint32_t kPermissionBits = 0777;

constexpr std::uint64_t units(std::uint64_t bytes, std::uint64_t unit_bytes) {
  return bytes / unit_bytes + (bytes % unit_bytes != 0 ? 1 : 0);
}

timespec to_timespec(const Time& time) {
  return {.tv_sec = time.seconds, .tv_nsec = static_cast<long>(time.nanoseconds)};
}

constexpr std::uint32_t kSetIdBits = 06000;

void override_device(struct stat& out, const AttributeOverrides& overrides) {
  out.st_mode &= ~overrides.umask.value_or(0);
}

void override_owner_and_mode(struct stat& out, const AttributeOverrides& overrides) {
  if ((overrides.uid || overrides.gid) && format::is_regular(out.st_mode)) {
    out.st_mode &= ~kSetIdBits;
  }
  if (overrides.umask && !format::is_symlink(out.st_mode)) {
    out.st_mode = (out.st_mode & format::kTypeMask) | (kPermissionBits & ~*overrides.umask);
  }
  out.st_uid = overrides.uid.value_or(out.st_uid);
  out.st_gid = overrides.gid.value_or(out.st_gid);
}

constexpr std::array<std::string_view, 7> kBoundToOwnerAndMode = {
    "security.capability",     "security.evm",
    "security.NTACL",          "system.nfs4_acl",
    "system.posix_acl_access", "system.posix_acl_default",
    "system.richacl",
};

}  // namespace

void override_attributes(struct stat& attributes, const AttributeOverrides& overrides) {
  if (format::is_device(attributes.st_mode)) {
    override_device(attributes, overrides);
  } else {
    override_owner_and_mode(attributes, overrides);
  }
}

bool is_bound_to_owner_and_mode(std::string_view xattr) {
  return std::ranges::find(kBoundToOwnerAndMode, xattr) != kBoundToOwnerAndMode.end();
}

struct stat to_stat(const reader::Node& node, const AttributeOverrides& overrides) {
  struct stat out {};
  out.st_ino = node.inode;
  out.st_mode = node.mode;
  out.st_nlink = node.link_count;
  out.st_uid = node.uid;
  out.st_gid = node.gid;
  override_attributes(out, overrides);
  out.st_rdev = node.rdev;
  out.st_size = static_cast<off_t>(node.size_bytes);
  out.st_blksize = format::kFrameBytes;
  out.st_blocks = static_cast<blkcnt_t>(units(reader::data_bytes(node), kStatBlockBytes));
  out.st_mtim = to_timespec(node.mtime);
  out.st_ctim = to_timespec(node.ctime);
  out.st_atim = to_timespec(node.atime);
  return out;
}

struct stat to_short_stat(const reader::ListedName& listed) {
  struct stat out {};
  out.st_ino = listed.inode;
  out.st_mode = listed.mode;
  return out;
}

fuse_entry_param to_entry(const reader::Node& node, const AttributeOverrides& overrides) {
  fuse_entry_param entry{};
  entry.ino = node.inode;
  entry.attr = to_stat(node, overrides);
  entry.attr_timeout = kForeverSeconds;
  entry.entry_timeout = kForeverSeconds;
  return entry;
}

fuse_entry_param absent_entry() {
  fuse_entry_param entry{};
  entry.entry_timeout = kForeverSeconds;
  return entry;
}

struct statvfs to_statvfs(const format::Superblock& superblock) {
  struct statvfs out {};
  out.f_bsize = format::kPageBytes;
  out.f_frsize = format::kPageBytes;
  out.f_blocks = units(superblock.stored_bytes, format::kPageBytes) +
                 units(superblock.index_bytes, format::kPageBytes);
  out.f_files = superblock.regular_files + superblock.directories + superblock.symlinks +
                superblock.other_files;
  out.f_flag = ST_RDONLY;
  out.f_namemax = format::kNameBytesMax;
  return out;
}

}  // namespace dgfs::fuse
