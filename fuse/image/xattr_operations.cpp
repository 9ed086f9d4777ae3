// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes. The kernel has checked by the name space whether the program may see one; we
// only have to filter the list. The root has one more, which lists do not contain, so that copies
// of the tree do not get it: the statistics of the mount.
#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "fuse/answer.h"
#include "fuse/attributes.h"
#include "fuse/caller.h"
#include "fuse/image/image_file_system.h"
#include "fuse/image/image_operations.h"
#include "fuse/sized_reply.h"
#include "fuse/statistics/statistics.h"

namespace dgfs::fuse {
namespace {

// If owner or permissions are overridden, attributes that belong to the real ones are hidden.
Result<std::vector<Xattr>> shown_xattrs(const ImageFileSystem& mounted, fuse_ino_t inode) {
  DGFS_TRY(node, mounted.image.by_inode(inode));
  DGFS_TRY(xattrs, mounted.image.xattrs(node));
  if (mounted.overrides.any()) {
    std::erase_if(xattrs,
                  [](const Xattr& xattr) { return is_bound_to_owner_and_mode(xattr.name); });
  }
  return std::move(xattrs);
}

Status reply_value(fuse_req_t request, const ImageFileSystem& mounted, fuse_ino_t inode,
                   std::string_view name, std::size_t room_bytes) {
  DGFS_TRY(xattrs, shown_xattrs(mounted, inode));
  const auto found = std::find_if(xattrs.begin(), xattrs.end(),
                                  [&](const Xattr& xattr) { return xattr.name == name; });
  if (found == xattrs.end()) {
    fuse_reply_err(request, ENODATA);
  } else {
    reply_sized(request, found->value, room_bytes);
  }
  return ok();
}

// Like other file systems, hides names that only the administrator may read from other users.
std::string joined_names(fuse_req_t request, const std::vector<Xattr>& xattrs) {
  std::optional<bool> is_root;
  std::string names;
  for (const auto& xattr : xattrs) {
    if (xattr.name.starts_with("trusted.")) {
      if (!is_root) is_root = is_from_root(request);
      if (!*is_root) continue;
    }
    names.append(xattr.name).push_back('\0');
  }
  return names;
}

// The value may grow between the request for its size and the request for itself.
constexpr std::size_t kStatisticsSlackBytes = 1024;

Status reply_statistics(fuse_req_t request, std::size_t room_bytes) {
  const auto text = statistics_json(service_of(request));
  if (room_bytes == 0) {
    fuse_reply_xattr(request, text.size() + kStatisticsSlackBytes);
  } else {
    reply_sized(request, as_bytes(text), room_bytes);
  }
  return ok();
}

// EOPNOTSUPP and not ENOSYS, because after ENOSYS the kernel would not request the statistics
// either. So each request for an attribute costs a round trip. But the kernel itself sends one only
// when it executes a file of a mount with suid, and ls(1) gives up after the first EOPNOTSUPP.
Status reply_unsupported(fuse_req_t request) {
  fuse_reply_err(request, EOPNOTSUPP);
  return ok();
}

void get_xattr(fuse_req_t request, fuse_ino_t inode, const char* name, std::size_t room_bytes) {
  answer<ImageFileSystem>(request, {Request::kGetXattr, inode},
                          [&](const ImageFileSystem& mounted) -> Status {
                            if (inode == FUSE_ROOT_ID && name == kStatisticsXattr) {
                              return reply_statistics(request, room_bytes);
                            }
                            if (!mounted.has_xattrs()) return reply_unsupported(request);
                            return reply_value(request, mounted, inode, name, room_bytes);
                          });
}

void list_xattrs(fuse_req_t request, fuse_ino_t inode, std::size_t room_bytes) {
  if (!served<ImageFileSystem>(request).has_xattrs())
    return answer_never(request, Request::kListXattrs);
  answer<ImageFileSystem>(request, {Request::kListXattrs, inode},
                          [&](const ImageFileSystem& mounted) -> Status {
                            DGFS_TRY(xattrs, shown_xattrs(mounted, inode));
                            const auto names = joined_names(request, xattrs);
                            reply_sized(request, as_bytes(names), room_bytes);
                            return ok();
                          });
}

}  // namespace

void add_xattr_operations(fuse_lowlevel_ops& operations) {
  operations.getxattr = get_xattr;
  operations.listxattr = list_xattrs;
}

}  // namespace dgfs::fuse
