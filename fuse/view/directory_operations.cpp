// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories. Each open one has a stream of its own (view::Listing), whose cookies are the offsets
// that the kernel goes on from.
#include <memory>
#include <vector>

#include "fuse/entry_list.h"
#include "fuse/view/entry_reply.h"
#include "fuse/view/view_operations.h"

namespace dgfs::fuse {
namespace {

view::Listing& listing_of(const fuse_file_info* file) {
  return *reinterpret_cast<view::Listing*>(file->fh);
}

void open_directory(fuse_req_t request, fuse_ino_t directory, fuse_file_info* file) {
  answer<ViewFileSystem>(request, {Request::kOpenDirectory, directory, Subject::kName},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_TRY(listing, mounted.view.open_listing(directory));
                           auto* const opened = listing.release();
                           file->fh = reinterpret_cast<std::uint64_t>(opened);
                           if (fuse_reply_open(request, file) != 0) delete opened;
                           return ok();
                         });
}

void close_directory(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  service_of(request).counters.count(Request::kReleaseDirectory);
  delete &listing_of(file);
  fuse_reply_err(request, 0);
}

void read_directory(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes, off_t offset,
                    fuse_file_info* file) {
  answer<ViewFileSystem>(
      request, {Request::kReadDirectory, directory, Subject::kName},
      [&](ViewFileSystem&) -> Status {
        EntryList entries(request, size_bytes);
        const auto add = [&](const view::ListingName& name) {
          return entries.add(name.name, to_short_stat(name.object, name.type), name.cookie);
        };
        DGFS_CHECK(listing_of(file).read(static_cast<view::ListingCookie>(offset), false, add));
        entries.reply();
        return ok();
      });
}

bool is_dot(std::string_view name) { return name == "." || name == ".."; }

// "." and ".." come without a node id: the kernel has these two already, and does not count them.
void read_directory_plus(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes,
                         off_t offset, fuse_file_info* file) {
  answer<ViewFileSystem>(request, {Request::kReadDirectoryPlus, directory, Subject::kName},
                         [&](ViewFileSystem& mounted) -> Status {
                           EntryList entries(request, size_bytes);
                           std::vector<view::ObjectNumber> told;
                           const auto add = [&](const view::ListingName& name) {
                             fuse_entry_param entry{};
                             if (is_dot(name.name)) {
                               entry.attr = to_short_stat(name.object, name.type);
                               return entries.add_plus(name.name, entry, name.cookie);
                             }
                             entry = to_entry({name.object, *name.attributes});
                             mounted.known.add(name.object);
                             told.push_back(name.object);
                             if (entries.add_plus(name.name, entry, name.cookie)) return true;
                             mounted.forget(name.object, 1);
                             told.pop_back();
                             return false;
                           };
                           const auto listed = listing_of(file).read(
                               static_cast<view::ListingCookie>(offset), true, add);
                           if (listed && entries.reply() == 0) return ok();
                           for (const auto object : told) mounted.forget(object, 1);
                           return listed;
                         });
}

void sync_directory(fuse_req_t request, fuse_ino_t directory, int, fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kSyncDirectory, directory},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_CHECK(mounted.view.sync(directory));
                           fuse_reply_err(request, 0);
                           return ok();
                         });
}

}  // namespace

void add_view_directory_operations(fuse_lowlevel_ops& operations) {
  operations.opendir = open_directory;
  operations.releasedir = close_directory;
  operations.readdir = read_directory;
  operations.readdirplus = read_directory_plus;
  operations.fsyncdir = sync_directory;
}

}  // namespace dgfs::fuse
