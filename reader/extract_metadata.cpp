// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract_metadata.h"

#include "format/limits.h"
#include "format/mode.h"

namespace dgfs::reader {
namespace {

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

}  // namespace

Status restore_metadata(const Image& image, const Node& node, storage::Directory& directory,
                        std::string_view name, bool privileged) {
  if (privileged) {
    DGFS_CHECK(directory.set_owner(name, node.uid, node.gid));
  }
  DGFS_CHECK(restore_xattrs(image, node, directory, name, privileged));
  if (!format::is_symlink(node.mode)) {
    DGFS_CHECK(directory.set_mode(name, node.mode & format::kPermissionMask));
  }
  return directory.set_times(name, node.atime, node.mtime);
}

}  // namespace dgfs::reader
