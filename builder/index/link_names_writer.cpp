// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/link_names_writer.h"

#include <bit>

#include "format/header/section.h"

namespace dgfs::builder {
namespace {

using format::SectionKind;

constexpr std::size_t kSortBytes = std::size_t{4} << 20;
// A row takes about four bytes, so a block gets the usual size of section blocks.
constexpr std::size_t kTableBlockRows = format::kSectionBlockBytes / 4;
constexpr std::uint64_t kNamesBetweenStops = 1 << 16;

std::size_t varint_bytes(std::uint64_t value) {
  return static_cast<std::size_t>(std::bit_width(value | 1) + 6) / 7;
}

}  // namespace

LinkNamesWriter::LinkNamesWriter(const SpoolPlace& place, StopFlag stop)
    : stop_(stop), by_object_(place, kSortBytes), blocks_(place), table_(place) {}

Status LinkNamesWriter::add(format::InodeNumber inode, format::Ordinal name) {
  return by_object_.add({inode, name, 0});
}

Status LinkNamesWriter::finish() {
  DGFS_TRY(sorted, std::move(by_object_).finish());
  for (std::uint64_t count = 0;; ++count) {
    if (count % kNamesBetweenStops == 0) {
      DGFS_CHECK(stop_.check());
    }
    DGFS_TRY(record, sorted->next());
    if (!record) break;
    DGFS_CHECK(add_sorted((*record)[0], (*record)[1]));
  }
  DGFS_CHECK(end_object());
  DGFS_CHECK(end_block());
  return end_table_block();
}

Status LinkNamesWriter::add_sorted(format::InodeNumber inode, format::Ordinal name) {
  if (inode != inode_) {
    DGFS_CHECK(end_object());
    inode_ = inode;
  }
  std::size_t bytes = names_.empty() ? 0 : varint_bytes(name - names_.back());
  if (gap_bytes_ + bytes > format::LinkBlockFiller::kGapBytesMax) {
    DGFS_CHECK(end_part());
    bytes = 0;
  }
  gap_bytes_ += bytes;
  names_.push_back(name);
  return ok();
}

// If the names of an object do not fit into the rest of a block, they go into the next block, so
// that one read finds them all.
Status LinkNamesWriter::end_object() {
  if (names_.empty()) return ok();
  if (!block_.add(inode_, names_)) {
    DGFS_CHECK(end_block());
    static_cast<void>(block_.add(inode_, names_));  // an empty block has room
  }
  names_.clear();
  gap_bytes_ = 0;
  return ok();
}

// The object has more names than fit into a block: this part gets a block of its own.
Status LinkNamesWriter::end_part() {
  DGFS_CHECK(end_block());
  DGFS_CHECK(end_object());
  return end_block();
}

Status LinkNamesWriter::end_block() {
  if (block_.empty()) return ok();
  const auto first = block_.first_inode();
  Buffer sealed;
  format::seal_block(SectionKind::kLinkNames, block_.take(), sealed);
  rows_.push_back({first, sealed.size()});
  DGFS_CHECK(blocks_.append(sealed));
  return rows_.size() == kTableBlockRows ? end_table_block() : Status(ok());
}

Status LinkNamesWriter::end_table_block() {
  if (rows_.empty()) return ok();
  Buffer body;
  format::encode_link_table(rows_, before_, body);
  Buffer sealed;
  format::seal_block(SectionKind::kLinkTable, body, sealed);
  before_ = rows_.back().first_inode;
  rows_.clear();
  return table_.append(sealed);
}

}  // namespace dgfs::builder
