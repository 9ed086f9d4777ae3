// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names: makes, renames and removes objects.
#include <linux/fs.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "fuse/view/entry_reply.h"
#include "fuse/view/kernel_extensions.h"
#include "fuse/view/overridden_change.h"
#include "fuse/view/privileges.h"
#include "fuse/view/view_operations.h"

namespace dgfs::fuse {
namespace {

// Makes an object, and replies with its entry.
template <class Make>
void answer_entry(fuse_req_t request, const Call& call, Make make) noexcept {
  answer<ViewFileSystem>(request, call, [&](ViewFileSystem& mounted) -> Status {
    DGFS_TRY(entry, make(mounted.view));
    return reply_entry(request, mounted, entry);
  });
}

// Does some work, and replies whether it succeeded.
template <class Work>
void answer_done(fuse_req_t request, const Call& call, Work work) noexcept {
  answer<ViewFileSystem>(request, call, [&](ViewFileSystem& mounted) -> Status {
    DGFS_CHECK(work(mounted));
    fuse_reply_err(request, 0);
    return ok();
  });
}

void make_node(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t rdev) {
  const auto& overrides = served<ViewFileSystem>(request).overrides;
  answer_entry(request, {Request::kMakeNode, parent, Subject::kName, name}, [&](view::View& view) {
    return view.create(parent, name, {new_mode(overrides, mode), rdev}, credentials_of(request));
  });
}

Result<view::Entry> make_file(fuse_req_t request, view::View& view, fuse_ino_t parent,
                              const char* name, mode_t mode) {
  if (!creates_unnamed()) return view.create(parent, name, {mode, 0}, credentials_of(request));
  return view.create_unnamed(parent, mode & format::kPermissionMask, credentials_of(request));
}

void create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode,
            fuse_file_info* file) {
  answer<ViewFileSystem>(
      request, {Request::kCreate, parent, Subject::kName, name},
      [&](ViewFileSystem& mounted) -> Status {
        DGFS_TRY(entry,
                 make_file(request, mounted.view, parent, name, new_mode(mounted.overrides, mode)));
        DGFS_TRY(told, mounted.entry_of(entry));
        file->keep_cache = 1;
        mounted.known.add(entry.object);
        if (!has_set_ids(entry.attributes.mode)) {
          mounted.known.note_unprivileged(entry.object, mounted.known.grants(entry.object));
        }
        if (fuse_reply_create(request, &told, file) != 0) mounted.forget(entry.object, 1);
        return ok();
      });
}

void make_directory(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  answer_entry(request, {Request::kMakeDirectory, parent, Subject::kName, name},
               [&](view::View& view) {
                 return view.make_directory(parent, name, mode, credentials_of(request));
               });
}

void make_symlink(fuse_req_t request, const char* target, fuse_ino_t parent, const char* name) {
  answer_entry(request, {Request::kMakeSymlink, parent, Subject::kName, name},
               [&](view::View& view) {
                 return view.make_symlink(parent, name, target, credentials_of(request));
               });
}

void link(fuse_req_t request, fuse_ino_t inode, fuse_ino_t parent, const char* name) {
  answer_entry(request, {Request::kLink, parent, Subject::kName, name},
               [&](view::View& view) { return view.link(inode, parent, name); });
}

void unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  answer_done(request, {Request::kUnlink, parent, Subject::kName, name},
              [&](ViewFileSystem& mounted) -> Status {
                DGFS_TRY(entry, mounted.view.unlink(parent, name));
                mounted.lost_name(entry);
                return ok();
              });
}

void remove_directory(fuse_req_t request, fuse_ino_t parent, const char* name) {
  answer_done(request, {Request::kRemoveDirectory, parent, Subject::kName, name},
              [&](ViewFileSystem& mounted) -> Status {
                DGFS_TRY(entry, mounted.view.remove_directory(parent, name));
                mounted.lost_name(entry);
                return ok();
              });
}

// nullopt: unknown flags, or flags that exclude each other.
std::optional<view::RenameMode> mode_of(unsigned flags) {
  switch (flags & ~static_cast<unsigned>(RENAME_WHITEOUT)) {
    case 0:
      return view::RenameMode::kReplace;
    case RENAME_NOREPLACE:
      return view::RenameMode::kNoReplace;
    case RENAME_EXCHANGE:
      if ((flags & RENAME_WHITEOUT) != 0) return std::nullopt;
      return view::RenameMode::kExchange;
    default:
      return std::nullopt;
  }
}

void rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent,
            const char* new_name, unsigned flags) {
  answer_done(request, {Request::kRename, parent, Subject::kName, name},
              [&](ViewFileSystem& mounted) -> Status {
                const auto mode = mode_of(flags);
                if (!mode) return Error(ErrorKind::kInvalidArgument, 5042, "flags of a rename");
                std::optional<view::Credentials> whiteout;
                if ((flags & RENAME_WHITEOUT) != 0) whiteout = credentials_of(request);
                DGFS_TRY(renamed,
                         mounted.view.rename(parent, name, new_parent, new_name, *mode, whiteout));
                mounted.lost_name(renamed.replaced);
                return ok();
              });
}

}  // namespace

void add_name_operations(fuse_lowlevel_ops& operations) {
  operations.mknod = make_node;
  operations.create = create;
  operations.mkdir = make_directory;
  operations.symlink = make_symlink;
  operations.link = link;
  operations.unlink = unlink;
  operations.rmdir = remove_directory;
  operations.rename = rename;
}

}  // namespace dgfs::fuse
