// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/page.h"

#include "format/content/extent.h"

namespace dgfs::format {
namespace {

template <class Value>
std::size_t bytes_of(const std::vector<Value>& values) {
  return values.capacity() * sizeof(Value);
}

template <class Value>
Value value_or(const SparseColumn<Value>& column, std::size_t index, Value otherwise) {
  const auto* value = column.find(index);
  return value == nullptr ? otherwise : *value;
}

template <class Value>
std::optional<Value> optional_of(const SparseColumn<Value>& column, std::size_t index) {
  const auto* value = column.find(index);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

InodeNumber ColumnPage::link_inode(std::size_t index) const {
  return is_link_kind(kinds_[index]) ? value_or<InodeNumber>(link_inodes_, index, 0) : 0;
}

Entry ColumnPage::entry(std::size_t index) const {
  Entry entry;
  entry.key = key(index);
  const auto& combination = combinations_[combination_of_[index]];
  entry.mode = combination.mode;
  entry.uid = combination.uid;
  entry.gid = combination.gid;
  entry.mtime = times_[time_of_[index]];
  entry.ctime = optional_of(change_times_, index);
  entry.atime = optional_of(access_times_, index);
  entry.size_bytes = sizes_[index];
  entry.codec = value_or(codecs_, index, ExtentCodec::kRaw);
  entry.address = optional_of(addresses_, index);
  entry.fragment_offset = optional_of(fragment_offsets_, index);
  entry.link_inode = link_inode(index);
  entry.link_count = value_or<std::uint32_t>(link_counts_, index, 0);
  entry.rdev = value_or<std::uint64_t>(rdevs_, index, 0);
  const auto target = value_or(target_places_, index, Target());
  entry.target = targets_.substr(target.begin, target.bytes);
  entry.long_target = value_or(long_targets_, index, SideRef());
  entry.xattrs = value_or(xattrs_, index, SideRef());
  entry.sparse_map = value_or(sparse_maps_, index, SideRef());
  const auto* stored = stored_.find(index);
  entry.stored_bytes = stored != nullptr ? *stored : implied_stored_bytes(entry);
  return entry;
}

std::size_t ColumnPage::memory_bytes() const {
  return sizeof *this + keys_capacity_bytes_ + targets_.capacity() + bytes_of(key_begins_) +
         bytes_of(kinds_) + bytes_of(combination_of_) + bytes_of(combinations_) + bytes_of(sizes_) +
         bytes_of(data_offsets_) + bytes_of(time_of_) + bytes_of(times_) +
         target_places_.memory_bytes() + long_targets_.memory_bytes() +
         sparse_maps_.memory_bytes() + xattrs_.memory_bytes() + codecs_.memory_bytes() +
         stored_.memory_bytes() + fragment_offsets_.memory_bytes() + addresses_.memory_bytes() +
         link_inodes_.memory_bytes() + link_counts_.memory_bytes() + rdevs_.memory_bytes() +
         change_times_.memory_bytes() + access_times_.memory_bytes();
}

}  // namespace dgfs::format
