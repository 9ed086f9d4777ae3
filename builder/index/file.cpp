// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/file.h"

#include <algorithm>

#include "format/limits.h"

namespace dgfs::builder {
namespace {

constexpr std::size_t kSectionAlignment = 8;
constexpr std::size_t kSpoolCopyBytes = std::size_t{1} << 18;

}  // namespace

IndexFile::IndexFile(storage::File& file, StopFlag stop)
    : file_(file), appender_(file, format::kPageBytes, std::size_t{1} << 20), stop_(stop) {}

Status IndexFile::begin(format::SectionKind kind, bool hashed) {
  end_section();
  // Aligns sections that are read page by page to pages of the device.
  const auto shape = format::section_shape(kind);
  const bool has_pages =
      shape == format::SectionShape::kPages || shape == format::SectionShape::kRecordPages;
  DGFS_CHECK(appender_.align(has_pages ? format::kPageBytes : kSectionAlignment));
  current_ = {kind, appender_.position(), 0};
  hashed_ = hashed;
  return ok();
}

Status IndexFile::append(Bytes bytes) {
  if (hashed_) hash_.update(bytes);
  return appender_.append(bytes);
}

Status IndexFile::append(const Spool& spool) {
  SpoolCursor cursor(spool, 0, spool.size_bytes(), kSpoolCopyBytes);
  while (!cursor.at_end()) {
    DGFS_CHECK(stop_.check());
    const auto count = std::min<std::uint64_t>(cursor.remaining_bytes(), kSpoolCopyBytes);
    DGFS_TRY(bytes, cursor.take(static_cast<std::size_t>(count)));
    DGFS_CHECK(append(bytes));
  }
  return ok();
}

void IndexFile::end_section() {
  if (current_.kind == format::SectionKind::kNone) return;
  current_.length_bytes = appender_.position() - current_.offset_bytes;
  if (current_.length_bytes != 0) places_[static_cast<std::size_t>(current_.kind)] = current_;
  current_ = {};
}

Status IndexFile::finish(format::Superblock& superblock) {
  end_section();
  DGFS_CHECK(appender_.align(format::kPageBytes));
  DGFS_CHECK(appender_.flush());
  superblock.sections = places_;
  superblock.index_bytes = appender_.position();
  return ok();
}

Status IndexFile::write_superblock(const format::Superblock& superblock) {
  return file_.write_at(0, format::encode_superblock(superblock));
}

}  // namespace dgfs::builder
