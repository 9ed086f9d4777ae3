// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/link_table.h"

#include <algorithm>
#include <utility>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {
namespace {

constexpr std::uint64_t kStoredBytesMin = kSealedBlockHeaderBytes + 1;
constexpr std::uint64_t kStoredBytesMax = kSealedBlockHeaderBytes + kLinkBlockBytesMax;

Error corrupt_link_table(std::uint16_t code, std::size_t offset, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text)
      .in_section(section_name(SectionKind::kLinkTable))
      .at_offset(offset);
}

}  // namespace

void encode_link_table(std::span<const LinkTableRow> rows, InodeNumber before, Buffer& out) {
  Encoder encoder(out);
  for (const auto& row : rows) {
    encoder.varint(row.first_inode - std::exchange(before, row.first_inode));
    encoder.varint(row.length_bytes);
  }
}

LinkTable::Loader::Loader(std::uint64_t section_bytes, InodeNumber inode_end, Ordinal ordinal_end)
    : section_bytes_(section_bytes), inode_end_(inode_end), ordinal_end_(ordinal_end) {}

Status LinkTable::Loader::add(Bytes body) {
  Decoder decoder(body);
  while (!decoder.at_end()) {
    const auto offset = decoder.offset();
    DGFS_TRY(gap, in_section(SectionKind::kLinkTable, decoder.varint()));
    DGFS_TRY(length_bytes, in_section(SectionKind::kLinkTable, decoder.varint()));
    DGFS_CHECK(add_row(gap, length_bytes, offset));
  }
  return ok();
}

// The length of the section limits the number of rows.
Status LinkTable::Loader::add_row(InodeNumber gap, std::uint64_t length_bytes, std::size_t offset) {
  const bool is_first = firsts_.size() == 0;
  if ((is_first && gap == 0) || gap >= inode_end_ - last_) {  // F-345
    return corrupt_link_table(2967, offset, "first objects of blocks do not rise below the end");
  }
  const bool may_be = length_bytes >= kStoredBytesMin && length_bytes <= kStoredBytesMax;
  if (!may_be || length_bytes > section_bytes_ - end_bytes_) {  // F-346
    return corrupt_link_table(2968, offset, "not the length of a block in its section");
  }
  last_ += gap;
  firsts_.push_back(last_);
  offsets_.push_back(end_bytes_);
  end_bytes_ += length_bytes;
  return ok();
}

Result<LinkTable> LinkTable::Loader::finish() && {
  if (firsts_.size() == 0 || end_bytes_ != section_bytes_) {  // F-346
    return corrupt_link_table(2969, 0, "blocks do not fill their section");
  }
  LinkTable table;
  table.firsts_ = std::move(firsts_);
  table.offsets_ = std::move(offsets_);
  table.firsts_.shrink_to_fit();
  table.offsets_.shrink_to_fit();
  table.section_bytes_ = section_bytes_;
  table.inode_end_ = inode_end_;
  table.ordinal_end_ = ordinal_end_;
  return table;
}

LinkTable::Range LinkTable::find(InodeNumber inode) const {
  const auto end = firsts_.upper_bound(inode);
  if (end == 0) return {};
  const auto begin = firsts_[end - 1] == inode ? firsts_.lower_bound(inode) : end - 1;
  return {begin, end};
}

LinkTable::Place LinkTable::place(std::size_t block) const {
  const auto begin = offsets_[block];
  const auto end = block + 1 == offsets_.size() ? section_bytes_ : offsets_[block + 1];
  return {begin, end - begin};
}

// If the next block begins with the same object, this block has no other object.
LinkBlockBounds LinkTable::bounds(std::size_t block) const {
  const auto first = firsts_[block];
  const auto next = block + 1 == firsts_.size() ? inode_end_ : firsts_[block + 1];
  return {first, std::max(next, first + 1), ordinal_end_};
}

}  // namespace dgfs::format
