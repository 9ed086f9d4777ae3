// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/view_file.h"

#include "delta/merge/view_entry.h"

namespace dgfs::merge {

Result<std::size_t> ViewFile::read_at(std::uint64_t offset_bytes, MutableBytes out) const {
  if (reads_ != nullptr && reads_->before) reads_->before(out.size());
  const auto count = view_.read(object_, offset_bytes, out);
  if (count) return count.value();
  if (reads_ != nullptr) reads_->has_failed = true;
  return about(path_, count.error());
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
