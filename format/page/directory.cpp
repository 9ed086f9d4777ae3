// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/directory.h"

#include <algorithm>
#include <cstring>

#include "format/entry/key.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

// Room that is reserved before anything was read. Untouched memory costs nothing.
constexpr std::uint64_t kReservedPagesMax = std::uint64_t{1} << 20;

/// The 8 bytes of `text` from `begin` on as a number, first byte highest, zeros behind the end. Of
/// two texts that are equal up to `begin`, the one with the lower number is the lesser.
std::uint64_t head_of(std::string_view text, std::size_t begin) {
  std::uint64_t bytes = 0;
  if (begin < text.size()) {
    std::memcpy(&bytes, text.data() + begin, std::min(text.size() - begin, sizeof bytes));
  }
  return __builtin_bswap64(bytes);
}

}  // namespace

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
    const auto bound_bytes = record.prefix.size() + record.separator.size();
    // F-244, F-246
    if (record.entry_count == 0 || record.entry_count > kPageEntriesMax ||
        bound_bytes > kKeyBytesMax) {
      return Error(ErrorKind::kCorrupt, 2300,
                   "page record " + std::to_string(number) + " is out of bounds");
    }
    directory.pages_.push_back(
        {record.zone, record.first_ordinal, record.first_data_offset, record.checksum,
         directory.arena_.size(), static_cast<std::uint32_t>(bound_bytes),
         static_cast<std::uint32_t>(record.prefix.size()), record.entry_count, record.volume});
    directory.arena_ += record.prefix;
    directory.arena_ += record.separator;
    DGFS_CHECK(directory.count_entries(number));
    DGFS_CHECK(directory.check_order(number));
  }
  directory.arena_.shrink_to_fit();
  directory.prepare_search();
  return directory;
}

Status PageDirectory::count_entries(std::size_t page) {
  if (pages_[page].first_ordinal != entry_count_) {
    return Error(ErrorKind::kCorrupt, 2301,
                 "page record " + std::to_string(page) + " has the wrong ordinal");
  }
  entry_count_ += pages_[page].entry_count;
  return ok();
}

Status PageDirectory::check_order(std::size_t page) const {
  if (page == 0 || std::pair(pages_[page - 1].zone, bound(page - 1)) <
                       std::pair(pages_[page].zone, bound(page))) {
    return ok();
  }
  return Error(ErrorKind::kCorrupt, 2302,
               "page record " + std::to_string(page) + " is out of order");
}

PageDirectory::Loader::Loader(std::uint64_t page_count) {
  directory_.pages_.reserve(static_cast<std::size_t>(std::min(page_count, kReservedPagesMax)));
}

Status PageDirectory::Loader::add(Bytes body) {
  const auto first = page_count();
  DGFS_CHECK(decode_page_block(body, directory_.pages_, directory_.arena_));
  for (auto page = first; page < page_count(); ++page) {
    DGFS_CHECK(directory_.count_entries(page));
  }
  // decode_page_block() has checked the order within the block.
  return first == page_count() ? Status(ok()) : directory_.check_order(first);
}

PageDirectory PageDirectory::Loader::finish() && {
  directory_.pages_.shrink_to_fit();
  directory_.arena_.shrink_to_fit();
  directory_.prepare_search();
  return std::move(directory_);
}

PageRecordView PageDirectory::record(std::size_t page) const {
  const auto& from = pages_[page];
  const auto both = bound(page);
  return {from.zone,
          both.substr(0, from.prefix_bytes),
          both.substr(from.prefix_bytes),
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

std::optional<std::size_t> PageDirectory::find_ordinal(Ordinal ordinal) const {
  if (ordinal >= entry_count_) return std::nullopt;
  const auto after = std::upper_bound(
      pages_.begin(), pages_.end(), ordinal,
      [](Ordinal wanted, const PackedPageRecord& page) { return wanted < page.first_ordinal; });
  return static_cast<std::size_t>(after - pages_.begin()) - 1;
}

std::size_t PageDirectory::memory_bytes() const {
  std::size_t levels = 0;
  for (const auto& level : levels_) {
    levels += level.shared_bytes.capacity() * sizeof(std::uint32_t) +
              level.heads.capacity() * sizeof(std::uint64_t);
  }
  return sizeof *this + pages_.capacity() * sizeof(PackedPageRecord) + arena_.capacity() +
         zones_.capacity() * sizeof(Zone) + levels;
}

void PageDirectory::prepare_search() {
  for (std::size_t page = 0; page < size(); ++page) {
    if (zones_.empty() || zones_.back().zone != pages_[page].zone) {
      zones_.push_back({pages_[page].zone, page});
    }
  }
  do {
    add_level();
  } while (levels_.back().shared_bytes.size() > 1);
}

void PageDirectory::add_level() {
  const auto number = levels_.size();
  const auto items = number == 0 ? size() : levels_.back().shared_bytes.size();
  auto& level = levels_.emplace_back();
  level.heads.resize(items);
  level.shared_bytes.reserve((items + kGroupItems - 1) / kGroupItems);
  const auto zone_of = [&](std::size_t item) { return pages_[item << (number * kGroupBits)].zone; };
  for (std::size_t first = 0; first < items; first += kGroupItems) {
    const auto last = std::min(first + kGroupItems, items) - 1;
    // Bounds rise within a zone, so the bytes that the first and the last one share are shared by
    // all.
    const auto shared =
        zone_of(first) == zone_of(last)
            ? shared_prefix_bytes(bound_of_item(number, first), bound_of_item(number, last))
            : 0;
    level.shared_bytes.push_back(static_cast<std::uint32_t>(shared));
    for (auto item = first; item <= last; ++item) {
      level.heads[item] = head_of(bound_of_item(number, item), shared);
    }
  }
}

std::optional<std::size_t> PageDirectory::find(std::uint64_t zone, std::string_view key) const {
  const auto found =
      std::lower_bound(zones_.begin(), zones_.end(), zone,
                       [](const Zone& at, std::uint64_t wanted) { return at.zone < wanted; });
  if (found == zones_.end() || found->zone != zone) return std::nullopt;
  const auto end = found + 1 == zones_.end() ? size() : (found + 1)->first_page;
  const auto page = last_not_above(found->first_page, end, key);
  if (page == end || !key.starts_with(prefix(page))) return std::nullopt;
  return page;
}

std::size_t PageDirectory::last_not_above(std::size_t begin, std::size_t end,
                                          std::string_view key) const {
  std::size_t group = 0;
  for (auto level = levels_.size(); level-- > 0;) {
    // The items of the group whose first page is in [begin, end).
    const auto bits = level * kGroupBits;
    const auto round_up = (std::size_t{1} << bits) - 1;
    const auto first = std::max(group << kGroupBits, (begin + round_up) >> bits);
    const auto last = std::min((group + 1) << kGroupBits, (end + round_up) >> bits);
    const auto behind = first < last ? first + count_not_above(level, first, last, key) : first;
    if (behind == 0 || (level == 0 && behind <= begin)) return end;
    // If there is no such item, the result can only be among the pages of the item before.
    group = behind - 1;
  }
  return group;
}

std::size_t PageDirectory::count_not_above(std::size_t level, std::size_t begin, std::size_t end,
                                           std::string_view key) const {
  const auto shared = levels_[level].shared_bytes[begin >> kGroupBits];
  const auto order = key.substr(0, shared).compare(bound_of_item(level, begin).substr(0, shared));
  if (order != 0) return order < 0 ? 0 : end - begin;
  const auto* const heads = levels_[level].heads.data();
  const auto [first, last] = std::equal_range(heads + begin, heads + end, head_of(key, shared));
  auto low = static_cast<std::size_t>(first - heads);
  auto high = static_cast<std::size_t>(last - heads);
  while (low < high) {  // finds the first of equal heads whose bound is above the key
    const auto middle = low + (high - low) / 2;
    if (bound_of_item(level, middle) <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - begin;
}

}  // namespace dgfs::format
