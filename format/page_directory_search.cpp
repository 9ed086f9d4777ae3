// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <algorithm>
#include <cstring>

#include "format/key.h"
#include "format/page_directory.h"

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
  heads_.resize(pages_.size());
  common_bytes_.reserve((pages_.size() + kGroupPages - 1) / kGroupPages);
  for (std::size_t first = 0; first < pages_.size(); first += kGroupPages) {
    const auto last = std::min(first + kGroupPages, pages_.size()) - 1;
    // Bounds rise within a zone, so what the outer ones share, those between them have, too.
    const auto common =
        pages_[first].zone == pages_[last].zone ? shared_prefix_bytes(bound(first), bound(last)) : 0;
    common_bytes_.push_back(static_cast<std::uint32_t>(common));
    for (auto page = first; page <= last; ++page) {
      heads_[page] = head_of(bound(page), common);
      if (zones_.empty() || zones_.back().zone != pages_[page].zone) {
        zones_.push_back({pages_[page].zone, page});
      }
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
  // Groups of which the first page, or that of the zone, is not above the key, and those that are.
  auto low = begin / kGroupPages;
  auto high = (end - 1) / kGroupPages + 1;
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (bound(middle * kGroupPages) <= key ? low : high) = middle;
  }
  const auto first = std::max(begin, low * kGroupPages);
  const auto last = std::min(end, (low + 1) * kGroupPages);
  const auto page = last_in_group(first, last, key);
  return page == last ? end : page;
}

std::size_t PageDirectory::last_in_group(std::size_t begin, std::size_t end,
                                         std::string_view key) const {
  const auto common = common_bytes_[begin / kGroupPages];
  const auto order = key.substr(0, common).compare(bound(begin).substr(0, common));
  if (order != 0) return order < 0 ? end : end - 1;
  const auto [first, last] = std::equal_range(heads_.begin() + static_cast<std::ptrdiff_t>(begin),
                                              heads_.begin() + static_cast<std::ptrdiff_t>(end),
                                              head_of(key, common));
  const auto equal_begin = static_cast<std::size_t>(first - heads_.begin());
  const auto equal_end = static_cast<std::size_t>(last - heads_.begin());
  const auto page = last_by_bounds(equal_begin, equal_end, key);
  if (page != equal_end) return page;
  return equal_begin == begin ? end : equal_begin - 1;
}

std::size_t PageDirectory::last_by_bounds(std::size_t begin, std::size_t end,
                                          std::string_view key) const {
  auto low = begin;
  auto high = end;
  while (low < high) {  // the first page whose bound is above the key
    const auto middle = low + (high - low) / 2;
    if (bound(middle) <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == begin ? end : low - 1;
}

}  // namespace dgfs::format
