// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract_metadata.h"

#include "format/limits.h"
#include "format/mode.h"

namespace dgfs::reader {
namespace {

constexpr std::uint32_t kSetUserId = 04000;
constexpr std::uint32_t kSetGroupId = 02000;
constexpr std::uint32_t kSetIdMask = kSetUserId | kSetGroupId;

// What an ordinary user may set on his own files.
bool is_open_to_all(const Xattr& xattr) {
  return xattr.name.starts_with("user.") || xattr.name.starts_with("system.posix_acl_");
}

Status restore_xattrs(const Image& image, const Node& node, storage::Directory& directory,
                      std::string_view name, bool privileged) {
  DGFS_TRY(xattrs, image.xattrs(node));
  for (const auto& xattr : xattrs) {
    if (!privileged && !is_open_to_all(xattr)) continue;
    DGFS_CHECK(directory.set_xattr(name, xattr.name, xattr.value));
  }
  return ok();
}

// A program that would run with the rights of another owner or group than the image says, because
// the owner could not be restored, does not get to do so.
Result<std::uint32_t> restorable_mode(const Node& node, const storage::Directory& directory,
                                      std::string_view name) {
  std::uint32_t mode = node.mode & format::kPermissionMask;
  if (format::is_directory(node.mode) || (mode & kSetIdMask) == 0) return mode;
  DGFS_TRY(status, directory.status(name));
  if (status.uid != node.uid) mode &= ~kSetUserId;
  if (status.gid != node.gid) mode &= ~kSetGroupId;
  return mode;
}

}  // namespace

Status restore_metadata(const Image& image, const Node& node, storage::Directory& directory,
                        std::string_view name, bool privileged) {
  if (privileged) {
    DGFS_CHECK(directory.set_owner(name, node.uid, node.gid));
  }
  DGFS_CHECK(restore_xattrs(image, node, directory, name, privileged));
  if (!format::is_symlink(node.mode)) {
    DGFS_TRY(mode, restorable_mode(node, directory, name));
    DGFS_CHECK(directory.set_mode(name, mode));
  }
  return directory.set_times(name, node.atime, node.mtime);
}

}  // namespace dgfs::reader
