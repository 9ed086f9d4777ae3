// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/directory_table.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {
namespace {

// DirectoryTable holds 32-bit positions.
constexpr std::size_t kDirectoriesMax = std::numeric_limits<std::uint32_t>::max();
// Room that is reserved before anything was read. Untouched memory costs nothing.
constexpr std::uint64_t kReservedDirectoriesMax = std::uint64_t{1} << 22;

Error corrupt_directory_table(std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text)).at_offset(offset);
}

}  // namespace

void encode_directory_list(Buffer& body, std::uint64_t child_count,
                           std::span<const std::uint64_t> subdirectory_positions) {
  Encoder encoder(body);
  encoder.varint(child_count);
  encoder.varint(subdirectory_positions.size());
  std::uint64_t next = 0;
  for (const auto position : subdirectory_positions) {
    encoder.varint(position - next);
    next = position + 1;
  }
}

std::optional<ChildRange> DirectoryTable::children(Ordinal directory) const {
  const auto at = ordinals_.lower_bound(directory);
  if (at == ordinals_.size() || ordinals_[at] != directory) return std::nullopt;
  const std::size_t list = list_of_[at];
  const auto first = firsts_[list];
  const auto end = list + 1 == firsts_.size() ? entry_count_ : firsts_[list + 1];
  return ChildRange{first, end - first, ordinals_.lower_bound(end) - ordinals_.lower_bound(first)};
}

std::optional<Ordinal> DirectoryTable::parent(Ordinal ordinal) const {
  if (ordinal >= entry_count_) return std::nullopt;
  if (ordinal == 0) return 0;
  // Several lists may have the same first child; then all but the last are empty.
  return ordinals_[directory_of_[firsts_.upper_bound(ordinal) - 1]];
}

std::size_t DirectoryTable::memory_bytes() const {
  return sizeof *this + firsts_.memory_bytes() + ordinals_.memory_bytes() +
         (list_of_.capacity() + directory_of_.capacity()) * sizeof(std::uint32_t);
}

DirectoryTable::Loader::Loader(Ordinal entry_count, std::uint64_t directory_count)
    : expected_entries_(entry_count), pending_{0} {
  const auto room =
      static_cast<std::size_t>(std::min({directory_count, entry_count, kReservedDirectoriesMax}));
  table_.firsts_.reserve(room);
  table_.directory_of_.reserve(room);
  table_.ordinals_.reserve(room);
  table_.ordinals_.push_back(0);
}

Status DirectoryTable::Loader::add(Bytes body) {
  Decoder decoder(body);
  while (true) {
    decoder.skip(add_small_leaves(decoder.rest()));
    if (decoder.at_end()) return ok();
    DGFS_CHECK(in_section(SectionKind::kDirectoryTable, add_list(decoder)));
  }
}

// A shortcut for lists of two bytes: most directories have no subdirectories and few files. Takes
// the lists at the front up to the first that is different or wrong.
// @return how many bytes it took
std::size_t DirectoryTable::Loader::add_small_leaves(Bytes lists) {
  const auto count_max = std::min(pending_.size(), lists.size() / 2);
  auto end_first = next_first_;
  std::size_t count = 0;
  for (; count < count_max; ++count) {
    const auto children = lists[2 * count];
    if (children >= 0x80 || lists[2 * count + 1] != 0) break;
    if (end_first + children > expected_entries_) break;
    end_first += children;
  }
  const auto lows = table_.firsts_.extend(count, end_first);
  for (std::size_t i = 0; i < count; ++i) {
    if (lows.empty()) {
      table_.firsts_.push_back(next_first_);
    } else {
      lows[i] = static_cast<std::uint32_t>(next_first_);
    }
    next_first_ += lists[2 * i];
  }
  const auto first = pending_.end() - static_cast<std::ptrdiff_t>(count);
  table_.directory_of_.insert(table_.directory_of_.end(), pending_.rbegin(),
                              std::make_reverse_iterator(first));
  pending_.erase(first, pending_.end());
  return 2 * count;
}

Status DirectoryTable::Loader::add_list(Decoder& decoder) {
  const auto offset = decoder.offset();
  if (pending_.empty())
    return corrupt_directory_table(2640, offset, "list without a directory");  // F-051
  DGFS_TRY(child_count, decoder.varint());
  if (child_count > expected_entries_ || next_first_ > expected_entries_ - child_count) {  // F-052
    return corrupt_directory_table(2641, offset, "more children than entries");
  }
  table_.directory_of_.push_back(pending_.back());
  table_.firsts_.push_back(next_first_);
  pending_.pop_back();
  DGFS_CHECK(add_subdirectories(decoder, child_count));
  next_first_ += child_count;
  return ok();
}

Status DirectoryTable::Loader::add_subdirectories(Decoder& decoder, std::uint64_t child_count) {
  const auto offset = decoder.offset();
  DGFS_TRY(count, decoder.varint());
  if (count > child_count || count > decoder.remaining()) {  // F-002, F-053
    return corrupt_directory_table(2642, offset, "more subdirectories than children");
  }
  if (count > kDirectoriesMax - table_.ordinals_.size()) {
    return Error(ErrorKind::kLimit, 2643, "more than 2^32 - 1 directories").at_offset(offset);
  }
  const auto first = static_cast<std::uint32_t>(table_.ordinals_.size());
  pending_.resize(pending_.size() + static_cast<std::size_t>(count));
  // The first subdirectory's list comes next.
  std::iota(pending_.rbegin(), pending_.rbegin() + static_cast<std::ptrdiff_t>(count), first);
  auto next = next_first_;
  const auto end = next_first_ + child_count;
  const auto lows = table_.ordinals_.extend(static_cast<std::size_t>(count), end);
  for (std::size_t i = 0; i < count; ++i) {
    const auto gap_offset = decoder.offset();
    std::uint64_t gap = 0;
    if (!decoder.try_short_varint(gap)) {
      DGFS_TRY(longer, decoder.varint());
      gap = longer;
    }
    if (gap >= end - next) {  // F-053
      return corrupt_directory_table(2644, gap_offset,
                                     "subdirectory stands behind its directory's children");
    }
    if (lows.empty()) {
      table_.ordinals_.push_back(next + gap);
    } else {
      lows[i] = static_cast<std::uint32_t>(next + gap);
    }
    next += gap + 1;
  }
  return ok();
}

Result<DirectoryTable> DirectoryTable::Loader::finish() && {
  const auto* const section = section_name(SectionKind::kDirectoryTable);
  if (!pending_.empty()) {  // F-051
    return Error(ErrorKind::kCorrupt, 2645, std::to_string(pending_.size()) + " lists are missing")
        .in_section(section);
  }
  if (next_first_ != expected_entries_) {  // F-052
    return Error(ErrorKind::kCorrupt, 2646,
                 "lists hold " + std::to_string(next_first_) + " entries instead of " +
                     std::to_string(expected_entries_))
        .in_section(section);
  }
  return std::move(*this).build();
}

DirectoryTable DirectoryTable::Loader::build() && {
  table_.entry_count_ = expected_entries_;
  table_.firsts_.shrink_to_fit();
  table_.ordinals_.shrink_to_fit();
  table_.directory_of_.shrink_to_fit();
  table_.list_of_.resize(table_.directory_of_.size());
  std::uint32_t list = 0;
  for (const auto directory : table_.directory_of_) table_.list_of_[directory] = list++;
  return std::move(table_);
}

}  // namespace dgfs::format
