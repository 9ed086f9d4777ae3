// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes. The kernel has checked by the prefix whether the program may see or change
// one; we only have to filter the list. The root has one more, which lists do not contain: the
// statistics of the mount.
#include <linux/xattr.h>

#include <cerrno>
#include <optional>
#include <string>

#include "format/entry/access_list.h"
#include "format/entry/mode.h"
#include "fuse/caller.h"
#include "fuse/sized_reply.h"
#include "fuse/statistics/statistics.h"
#include "fuse/view/entry_reply.h"
#include "fuse/view/kernel_extensions.h"
#include "fuse/view/privileges.h"
#include "fuse/view/view_operations.h"

namespace dgfs::fuse {
namespace {

// The value may grow between the request for its size and the request for itself.
constexpr std::size_t kStatisticsSlackBytes = 1024;

void reply_statistics(fuse_req_t request, std::size_t room_bytes) {
  const auto text = statistics_json(service_of(request));
  if (room_bytes == 0) {
    fuse_reply_xattr(request, text.size() + kStatisticsSlackBytes);
  } else {
    reply_sized(request, as_bytes(text), room_bytes);
  }
}

Error hidden() { return {ErrorKind::kNoAttribute, 5106, "overrides hide this attribute"}; }

void get_xattr(fuse_req_t request, fuse_ino_t inode, const char* name, std::size_t room_bytes) {
  answer<ViewFileSystem>(request, {Request::kGetXattr, inode},
                         [&](ViewFileSystem& mounted) -> Status {
                           if (inode == FUSE_ROOT_ID && name == kStatisticsXattr) {
                             reply_statistics(request, room_bytes);
                             return ok();
                           }
                           if (mounted.hides(name)) return hidden();
                           DGFS_TRY(value, mounted.view.xattr(inode, name));
                           reply_sized(request, value, room_bytes);
                           return ok();
                         });
}

void list_xattrs(fuse_req_t request, fuse_ino_t inode, std::size_t room_bytes) {
  answer<ViewFileSystem>(request, {Request::kListXattrs, inode},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_TRY(names, mounted.view.xattr_names(inode));
                           std::optional<bool> is_root;
                           std::string list;
                           for (const std::string& name : names) {
                             if (mounted.hides(name)) continue;
                             if (name.starts_with("trusted.")) {
                               if (!is_root) is_root = is_from_root(request);
                               if (!*is_root) continue;
                             }
                             list.append(name).push_back('\0');
                           }
                           reply_sized(request, as_bytes(list), room_bytes);
                           return ok();
                         });
}

void set_xattr(fuse_req_t request, fuse_ino_t inode, const char* name, const char* value,
               std::size_t size_bytes, int flags) {
  answer<ViewFileSystem>(
      request, {Request::kSetXattr, inode}, [&](ViewFileSystem& mounted) -> Status {
        if (mounted.hides(name)) {
          return Error(ErrorKind::kUnsupported, 5105, "overrides hide this attribute");
        }
        const Bytes bytes(reinterpret_cast<const std::uint8_t*>(value), size_bytes);
        const auto mode = (flags & XATTR_CREATE) != 0    ? view::XattrMode::kCreate
                          : (flags & XATTR_REPLACE) != 0 ? view::XattrMode::kReplace
                                                         : view::XattrMode::kSet;
        const auto cleared = kills_group_id_by_xattr() ? format::kSetGroupId : 0;
        DGFS_CHECK(mounted.view.set_xattr(inode, name, bytes, mode, cleared));
        if (name == format::kCapabilityXattr) mounted.known.note_grant(inode);
        fuse_reply_err(request, 0);
        return ok();
      });
}

void remove_xattr(fuse_req_t request, fuse_ino_t inode, const char* name) {
  answer<ViewFileSystem>(request, {Request::kRemoveXattr, inode},
                         [&](ViewFileSystem& mounted) -> Status {
                           if (mounted.hides(name)) return hidden();
                           DGFS_CHECK(mounted.view.remove_xattr(inode, name));
                           fuse_reply_err(request, 0);
                           return ok();
                         });
}

}  // namespace

void add_view_xattr_operations(fuse_lowlevel_ops& operations) {
  operations.getxattr = get_xattr;
  operations.listxattr = list_xattrs;
  operations.setxattr = set_xattr;
  operations.removexattr = remove_xattr;
}

}  // namespace dgfs::fuse
