// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Finds objects by name and by number, and reads and sets their attributes.
#include <cerrno>
#include <cstring>
#include <string_view>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "fuse/attributes.h"
#include "fuse/view/entry_reply.h"
#include "fuse/view/overridden_change.h"
#include "fuse/view/privileges.h"
#include "fuse/view/view_operations.h"

namespace dgfs::fuse {
namespace {

// To open a file handle, the kernel looks up "." of any object, not only of directories.
Result<view::Entry> find(const view::View& view, fuse_ino_t parent, std::string_view name) {
  if (name != ".") return view.lookup(parent, name);
  DGFS_TRY(attributes, view.attributes(parent));
  return view::Entry{parent, attributes};
}

void note_lookup(ViewFileSystem& mounted, fuse_ino_t parent, const view::Entry& entry) {
  if (!format::is_directory(entry.attributes.mode)) mounted.walks.saw_lookup(parent, entry.object);
}

void lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  if (std::strlen(name) > format::kNameBytesMax) {
    service_of(request).counters.count(Request::kLookup);
    fuse_reply_err(request, ENAMETOOLONG);
    return;
  }
  answer<ViewFileSystem>(request, {Request::kLookup, parent, Subject::kName, name},
                         [&](ViewFileSystem& mounted) -> Status {
                           const auto entry = find(mounted.view, parent, name);
                           if (entry) {
                             note_lookup(mounted, parent, entry.value());
                             return reply_entry(request, mounted, entry.value());
                           }
                           if (entry.error().kind() != ErrorKind::kNotFound) return entry.error();
                           const auto absent = absent_entry();
                           fuse_reply_entry(request, &absent);
                           return ok();
                         });
}

void forget(fuse_req_t request, fuse_ino_t inode, std::uint64_t count) {
  service_of(request).counters.count(Request::kForget);
  served<ViewFileSystem>(request).forget(inode, count);
  fuse_reply_none(request);
}

void forget_many(fuse_req_t request, std::size_t count, fuse_forget_data* forgotten) {
  service_of(request).counters.count(Request::kForget);
  for (std::size_t i = 0; i < count; ++i) {
    served<ViewFileSystem>(request).forget(forgotten[i].ino, forgotten[i].nlookup);
  }
  fuse_reply_none(request);
}

Status reply_attributes(fuse_req_t request, const ViewFileSystem& mounted, fuse_ino_t inode,
                        const view::Attributes& attributes) {
  DGFS_TRY(told, mounted.stat_of(inode, attributes));
  fuse_reply_attr(request, &told, kForeverSeconds);
  return ok();
}

void get_attributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kGetAttributes, inode, Subject::kName},
                         [&](ViewFileSystem& mounted) -> Status {
                           mounted.walks.saw_attributes(inode);
                           DGFS_TRY(attributes, mounted.view.attributes(inode));
                           return reply_attributes(request, mounted, inode, attributes);
                         });
}

Result<view::AttributeChange> change_of(const struct stat& wish, int to_set, const Time& now) {
  view::AttributeChange change;
  if ((to_set & FUSE_SET_ATTR_MODE) != 0) {
    change.permissions = wish.st_mode & format::kPermissionMask;
  }
  if ((to_set & FUSE_SET_ATTR_UID) != 0) change.uid = wish.st_uid;
  if ((to_set & FUSE_SET_ATTR_GID) != 0) change.gid = wish.st_gid;
  if ((to_set & FUSE_SET_ATTR_SIZE) != 0) {
    if (wish.st_size < 0) return Error(ErrorKind::kInvalidArgument, 5041, "a size below zero");
    change.size_bytes = static_cast<std::uint64_t>(wish.st_size);
  }
  if ((to_set & FUSE_SET_ATTR_ATIME_NOW) != 0) {
    change.atime = now;
  } else if ((to_set & FUSE_SET_ATTR_ATIME) != 0) {
    change.atime = to_time(wish.st_atim);
  }
  if ((to_set & FUSE_SET_ATTR_MTIME_NOW) != 0) {
    change.mtime = now;
  } else if ((to_set & FUSE_SET_ATTR_MTIME) != 0) {
    change.mtime = to_time(wish.st_mtim);
  }
  // With write-back, the kernel also keeps the change time itself, and sends it.
  if ((to_set & FUSE_SET_ATTR_CTIME) != 0) change.ctime = to_time(wish.st_ctim);
  return change;
}

// chown(2) drops the privileges of all objects except directories. So does truncate(2), but there
// the kernel says whether set-id bits may stay. Both drop capabilities.
Status drop_privileges_too(fuse_req_t request, ViewFileSystem& mounted, fuse_ino_t inode,
                           int to_set, view::AttributeChange& change) {
  const bool is_chown = change.uid || change.gid;
  if (!(is_chown || change.size_bytes) || mounted.known.is_unprivileged(inode)) return ok();
  DGFS_TRY(attributes, mounted.view.attributes(inode));
  if (format::is_directory(attributes.mode)) return ok();
  change.drops_capabilities = true;
  const bool drops_set_ids = is_chown || (to_set & FUSE_SET_ATTR_KILL_SUID) != 0;
  if (drops_set_ids && !change.permissions) {
    change.cleared_permissions = set_ids_to_clear(request, attributes);
  }
  return ok();
}

void set_attributes(fuse_req_t request, fuse_ino_t inode, struct stat* wish, int to_set,
                    fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kSetAttributes, inode, Subject::kName},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_TRY(change,
                                    change_of(*wish, to_set, service_of(request).env.now()));
                           if (mounted.overrides.any()) {
                             DGFS_TRY(now, mounted.view.attributes(inode));
                             DGFS_CHECK(keep_overridden(mounted.overrides, now.mode, change));
                             if (changes_nothing(change)) {
                               return reply_attributes(request, mounted, inode, now);
                             }
                           }
                           DGFS_CHECK(drop_privileges_too(request, mounted, inode, to_set, change));
                           DGFS_TRY(attributes, mounted.view.set_attributes(inode, change));
                           if (change.permissions && has_set_ids(*change.permissions)) {
                             mounted.known.note_grant(inode);
                           }
                           return reply_attributes(request, mounted, inode, attributes);
                         });
}

void read_link(fuse_req_t request, fuse_ino_t inode) {
  answer<ViewFileSystem>(request, {Request::kReadLink, inode},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_TRY(target, mounted.view.read_link(inode));
                           fuse_reply_readlink(request, target.c_str());
                           return ok();
                         });
}

void file_system_status(fuse_req_t request, fuse_ino_t inode) {
  answer<ViewFileSystem>(request, {Request::kFileSystemStatus, inode},
                         [&](ViewFileSystem& mounted) -> Status {
                           const struct statvfs totals = to_statvfs(mounted.view.space());
                           fuse_reply_statfs(request, &totals);
                           return ok();
                         });
}

}  // namespace

void add_object_operations(fuse_lowlevel_ops& operations) {
  operations.lookup = lookup;
  operations.forget = forget;
  operations.forget_multi = forget_many;
  operations.getattr = get_attributes;
  operations.setattr = set_attributes;
  operations.readlink = read_link;
  operations.statfs = file_system_status;
}

}  // namespace dgfs::fuse
