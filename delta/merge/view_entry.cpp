// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/view_entry.h"

#include <utility>

namespace dgfs::merge {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

}  // namespace

storage::FileStatus status_of(const view::Entry& entry) {
  const view::Attributes& attributes = entry.attributes;
  storage::FileStatus status;
  status.inode = entry.object;
  status.mode = attributes.mode;
  status.link_count = attributes.link_count;
  status.uid = attributes.uid;
  status.gid = attributes.gid;
  status.rdev = attributes.rdev;
  status.size_bytes = attributes.size_bytes;
  status.allocated_bytes = attributes.blocks * kSectorBytes;
  status.access_time = attributes.atime;
  status.modify_time = attributes.mtime;
  status.change_time = attributes.ctime;
  return status;
}

Result<std::vector<Xattr>> xattrs_of(const view::View& view, view::ObjectNumber object) {
  DGFS_TRY(names, view.xattr_names(object));
  std::vector<Xattr> xattrs;
  for (std::string& name : names) {
    DGFS_TRY(value, view.xattr(object, name));
    xattrs.push_back({std::move(name), std::move(value)});
  }
  return xattrs;
}

Error about(const std::string& path, const Error& error) {
  return Error(error.kind(), error.code(), error.message()).in_file(path);
}

}  // namespace dgfs::merge
