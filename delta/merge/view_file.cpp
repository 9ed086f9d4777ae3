// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/view_file.h"

#include <limits>

#include "format/entry/mode.h"

namespace dgfs::merge {
namespace {

constexpr std::uint64_t kNoDevice = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSectorBytes = 512;

}  // namespace

storage::FileStatus status_of(const view::Entry& entry) {
  const view::Attributes& attributes = entry.attributes;
  storage::FileStatus status;
  status.device = kNoDevice;
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

Result<std::size_t> ViewFile::read_at(std::uint64_t offset_bytes, MutableBytes out) const {
  const auto count = view_.read(object_, offset_bytes, out);
  if (!count) return about(path_, count.error());
  return count.value();
}

Result<std::size_t> ViewFile::read_at(std::uint64_t offset_bytes,
                                      std::span<const MutableBytes> outs) const {
  std::size_t done = 0;
  for (const MutableBytes out : outs) {
    DGFS_TRY(count, read_at(offset_bytes + done, out));
    done += count;
    if (count < out.size()) break;
  }
  return done;
}

Result<std::uint64_t> ViewFile::size() const {
  DGFS_TRY(now, status());
  return now.size_bytes;
}

Result<storage::FileStatus> ViewFile::status() const {
  const auto attributes = view_.attributes(object_);
  if (!attributes) return about(path_, attributes.error());
  return status_of({object_, attributes.value()});
}

Result<storage::DataSegment> ViewFile::next_data(std::uint64_t offset_bytes) const {
  const auto begin = view_.next_data(object_, offset_bytes);
  if (!begin && begin.error().kind() == ErrorKind::kNoData) {
    DGFS_TRY(bytes, size());
    return storage::DataSegment{bytes, bytes};
  }
  if (!begin) return about(path_, begin.error());
  const auto end = view_.next_hole(object_, begin.value());
  if (!end) return about(path_, end.error());
  return storage::DataSegment{begin.value(), end.value()};
}

Result<std::vector<Xattr>> ViewFile::xattrs() const {
  auto xattrs = xattrs_of(view_, object_);
  if (!xattrs) return about(path_, xattrs.error());
  return xattrs;
}

}  // namespace dgfs::merge
