// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/image_file_system.h"
#include "fuse/image/image_operations.h"

#include <cstring>
#include <utility>

#include "format/entry/mode.h"
#include "fuse/answer.h"
#include "fuse/attributes.h"
#include "fuse/image/overridden_list.h"

namespace dgfs::fuse {
namespace {

// To open a file handle, the kernel looks up "." of any inode, not only of directories.
Result<reader::Node> find(const reader::Image& image, fuse_ino_t parent, std::string_view name) {
  return name == "." ? image.by_inode(parent) : image.lookup(parent, name);
}

Status reply_lookup(fuse_req_t request, const ImageFileSystem& mounted, fuse_ino_t parent,
                    std::string_view name) {
  const auto node = find(mounted.image, parent, name);
  if (!node && node.error().kind() != ErrorKind::kNotFound) return node.error();
  auto entry = absent_entry();
  if (node) {
    mounted.prefetcher.saw_lookup(node.value());
    if (!format::is_directory(node.value().mode))
      mounted.walks.saw_lookup(parent, node.value().inode);
    DGFS_TRY(shown, without_list(mounted, node.value()));
    entry = mounted.entry_of(shown);
  }
  fuse_reply_entry(request, &entry);
  return ok();
}

void lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  if (std::strlen(name) > format::kNameBytesMax) {
    service_of(request).counters.count(Request::kLookup);
    fuse_reply_err(request, ENAMETOOLONG);
    return;
  }
  answer<ImageFileSystem>(
      request, {Request::kLookup, parent, Subject::kName, name},
      [&](const ImageFileSystem& mounted) { return reply_lookup(request, mounted, parent, name); });
}

// Nothing is kept per inode, so there is nothing to forget.
void forget(fuse_req_t request, fuse_ino_t, std::uint64_t) {
  service_of(request).counters.count(Request::kForget);
  fuse_reply_none(request);
}

void forget_many(fuse_req_t request, std::size_t, fuse_forget_data*) {
  service_of(request).counters.count(Request::kForget);
  fuse_reply_none(request);
}

void get_attributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  answer<ImageFileSystem>(request, {Request::kGetAttributes, inode, Subject::kName},
                          [&](const ImageFileSystem& mounted) -> Status {
                            DGFS_TRY(node, mounted.image.by_inode(inode));
                            mounted.walks.saw_attributes(inode);
                            DGFS_TRY(shown, without_list(mounted, std::move(node)));
                            const struct stat attributes = to_stat(shown, mounted.overrides);
                            fuse_reply_attr(request, &attributes, kForeverSeconds);
                            return ok();
                          });
}

void file_system_status(fuse_req_t request, fuse_ino_t inode) {
  answer<ImageFileSystem>(request, {Request::kFileSystemStatus, inode},
                          [&](const ImageFileSystem& mounted) -> Status {
                            const struct statvfs totals = to_statvfs(mounted.image.superblock());
                            fuse_reply_statfs(request, &totals);
                            return ok();
                          });
}

}  // namespace

void add_lookup_operations(fuse_lowlevel_ops& operations) {
  operations.lookup = lookup;
  operations.forget = forget;
  operations.forget_multi = forget_many;
  operations.getattr = get_attributes;
  operations.statfs = file_system_status;
}

}  // namespace dgfs::fuse
