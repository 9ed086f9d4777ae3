// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/directory_table.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "format/coding.h"
#include "format/section.h"

namespace dgfs::format {
namespace {

// by_ordinal_ holds 32-bit positions.
constexpr std::size_t kDirectoriesMax = std::numeric_limits<std::uint32_t>::max();

Error corrupt(std::uint16_t code, std::size_t offset, std::string text) {
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

std::size_t DirectoryTable::lower_bound(Ordinal ordinal) const {
  const auto at = std::lower_bound(
      by_ordinal_.begin(), by_ordinal_.end(), ordinal,
      [&](std::uint32_t position, Ordinal o) { return directories_[position].ordinal < o; });
  return static_cast<std::size_t>(at - by_ordinal_.begin());
}

std::optional<ChildRange> DirectoryTable::children(Ordinal directory) const {
  const auto at = lower_bound(directory);
  if (at == by_ordinal_.size()) return std::nullopt;
  const std::size_t position = by_ordinal_[at];
  if (directories_[position].ordinal != directory) return std::nullopt;
  const auto first = directories_[position].first;
  const auto end =
      position + 1 == directories_.size() ? entry_count_ : directories_[position + 1].first;
  return ChildRange{first, end - first, lower_bound(end) - lower_bound(first)};
}

std::optional<Ordinal> DirectoryTable::parent(Ordinal ordinal) const {
  if (ordinal >= entry_count_) return std::nullopt;
  if (ordinal == 0) return 0;
  // Of several lists with the same `first`, all but the last are empty.
  const auto after =
      std::upper_bound(directories_.begin(), directories_.end(), ordinal,
                       [](Ordinal o, const Directory& directory) { return o < directory.first; });
  return std::prev(after)->ordinal;
}

std::size_t DirectoryTable::memory_bytes() const {
  return sizeof *this + directories_.capacity() * sizeof(Directory) +
         by_ordinal_.capacity() * sizeof(std::uint32_t);
}

DirectoryTable::Loader::Loader(Ordinal entry_count)
    : expected_entries_(entry_count), pending_{Ordinal{0}} {}

Status DirectoryTable::Loader::add(Bytes body) {
  Decoder decoder(body);
  while (!decoder.at_end()) {
    DGFS_CHECK(in_section(SectionKind::kDirectoryTable, add_list(decoder)));
  }
  return ok();
}

Status DirectoryTable::Loader::add_list(Decoder& decoder) {
  const auto offset = decoder.offset();
  if (pending_.empty()) return corrupt(2640, offset, "list without a directory");  // F-051
  DGFS_TRY(child_count, decoder.varint());
  if (child_count > expected_entries_ || next_first_ > expected_entries_ - child_count) {  // F-052
    return corrupt(2641, offset, "more children than entries");
  }
  table_.directories_.push_back({pending_.back(), next_first_});
  pending_.pop_back();
  DGFS_CHECK(add_subdirectories(decoder, child_count));
  next_first_ += child_count;
  return ok();
}

Status DirectoryTable::Loader::add_subdirectories(Decoder& decoder, std::uint64_t child_count) {
  const auto offset = decoder.offset();
  DGFS_TRY(count, decoder.varint());
  if (count > child_count || count > decoder.remaining()) {  // F-002, F-053
    return corrupt(2642, offset, "more subdirectories than children");
  }
  if (count > kDirectoriesMax - table_.directories_.size() - pending_.size()) {
    return Error(ErrorKind::kLimit, 2643, "more than 2^32 - 1 directories").at_offset(offset);
  }
  const auto begin = static_cast<std::ptrdiff_t>(pending_.size());
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto gap_offset = decoder.offset();
    DGFS_TRY(gap, decoder.varint());
    if (gap >= child_count - next) {  // F-053
      return corrupt(2644, gap_offset, "subdirectory stands behind its directory's children");
    }
    pending_.push_back(next_first_ + next + gap);
    next += gap + 1;
  }
  // The first subdirectory's list comes next.
  std::reverse(pending_.begin() + begin, pending_.end());
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
  table_.entry_count_ = expected_entries_;
  auto& directories = table_.directories_;
  directories.shrink_to_fit();
  table_.by_ordinal_.resize(directories.size());
  std::iota(table_.by_ordinal_.begin(), table_.by_ordinal_.end(), 0U);
  std::sort(table_.by_ordinal_.begin(), table_.by_ordinal_.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return directories[a].ordinal < directories[b].ordinal;
            });
  return std::move(table_);
}

}  // namespace dgfs::format
