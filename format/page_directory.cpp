// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page_directory.h"

#include <algorithm>

#include "format/key.h"
#include "format/limits.h"
#include "format/page.h"

namespace dgfs::format {

std::string make_separator(const std::optional<std::string>& previous_last_key,
                           std::string_view first_key, std::string_view prefix) {
  if (!previous_last_key) return {};
  const auto least = shared_prefix_bytes(*previous_last_key, first_key) + 1;
  if (least <= prefix.size()) return {};
  return std::string(first_key.substr(prefix.size(), least - prefix.size()));
}

Result<PageDirectory> PageDirectory::make(std::vector<PageRecord> records) {
  PageDirectory directory;
  directory.pages_.reserve(records.size());
  for (const auto& record : records) {
    const auto number = directory.pages_.size();
    const auto bound = record.prefix + record.separator;
    // F-244, F-246
    if (record.entry_count == 0 || record.entry_count > kPageEntriesMax ||
        bound.size() > kKeyBytesMax) {
      return Error(ErrorKind::kCorrupt, 2300,
                   "page record " + std::to_string(number) + " is out of bounds");
    }
    if (record.first_ordinal != directory.entry_count_) {  // F-243
      return Error(ErrorKind::kCorrupt, 2301,
                   "page record " + std::to_string(number) + " has the wrong ordinal");
    }
    if (number > 0 && std::pair(directory.pages_.back().zone, directory.bound(number - 1)) >=
                          std::pair(record.zone, std::string_view(bound))) {
      return Error(ErrorKind::kCorrupt, 2302,
                   "page record " + std::to_string(number) + " is out of order");
    }
    directory.pages_.push_back(
        {record.zone, record.first_ordinal, record.first_data_offset, record.checksum,
         directory.arena_.size(), static_cast<std::uint32_t>(bound.size()),
         static_cast<std::uint32_t>(record.prefix.size()), record.entry_count, record.volume});
    directory.arena_ += bound;
    directory.entry_count_ += record.entry_count;
  }
  directory.arena_.shrink_to_fit();
  return directory;
}

PageRecord PageDirectory::record(std::size_t page) const {
  const auto& from = pages_[page];
  return {from.zone,
          std::string(prefix(page)),
          std::string(bound(page).substr(from.prefix_bytes)),
          from.first_ordinal,
          from.entry_count,
          from.volume,
          from.first_data_offset,
          from.checksum};
}

std::string_view PageDirectory::prefix(std::size_t page) const {
  return bound(page).substr(0, pages_[page].prefix_bytes);
}

std::string_view PageDirectory::bound(std::size_t page) const {
  const auto& from = pages_[page];
  return {arena_.data() + from.bound_begin, from.bound_bytes};
}

Ordinal PageDirectory::first_ordinal(std::size_t page) const { return pages_[page].first_ordinal; }

std::optional<std::size_t> PageDirectory::find(std::uint64_t zone, std::string_view key) const {
  std::size_t begin = 0;
  std::size_t end = pages_.size();
  while (begin < end) {  // the first page whose bound is above (zone, key)
    const auto middle = begin + (end - begin) / 2;
    const bool above =
        pages_[middle].zone != zone ? pages_[middle].zone > zone : bound(middle) > key;
    if (above) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  if (begin == 0) return std::nullopt;
  const auto page = begin - 1;
  if (pages_[page].zone != zone || !key.starts_with(prefix(page))) return std::nullopt;
  return page;
}

std::optional<std::size_t> PageDirectory::find_ordinal(Ordinal ordinal) const {
  if (ordinal >= entry_count_) return std::nullopt;
  const auto after = std::upper_bound(
      pages_.begin(), pages_.end(), ordinal,
      [](Ordinal wanted, const Page& page) { return wanted < page.first_ordinal; });
  return static_cast<std::size_t>(after - pages_.begin()) - 1;
}

std::size_t PageDirectory::memory_bytes() const {
  return sizeof *this + pages_.capacity() * sizeof(Page) + arena_.capacity();
}

}  // namespace dgfs::format
