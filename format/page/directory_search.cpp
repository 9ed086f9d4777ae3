// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <algorithm>
#include <cstring>

#include "format/entry/key.h"
#include "format/page/directory.h"

namespace dgfs::format {
namespace {

/// The 8 bytes of `text` from `begin` on, zeros behind its end, the first one highest: of two texts
/// that are equal up to `begin`, the one with the lower number is the lesser.
std::uint64_t head_of(std::string_view text, std::size_t begin) {
  std::uint64_t bytes = 0;
  if (begin < text.size()) {
    std::memcpy(&bytes, text.data() + begin, std::min(text.size() - begin, sizeof bytes));
  }
  return __builtin_bswap64(bytes);
}

}  // namespace

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
    // Bounds rise within a zone, so what the outer ones share, those between them have, too.
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
    // The items of the group of which the first page is in [begin, end).
    const auto bits = level * kGroupBits;
    const auto round_up = (std::size_t{1} << bits) - 1;
    const auto first = std::max(group << kGroupBits, (begin + round_up) >> bits);
    const auto last = std::min((group + 1) << kGroupBits, (end + round_up) >> bits);
    const auto behind = first < last ? first + count_not_above(level, first, last, key) : first;
    if (behind == 0 || (level == 0 && behind <= begin)) return end;
    // Where none of them is, the pages from `begin` on that belong to the item before are left.
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
  while (low < high) {  // the first of equal heads whose bound is above the key
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
