// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/prefix_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dgfs::delta {
namespace {

// Roughly the number of older objects between two ranges.
double gap_between(const PrefixRange& a, const PrefixRange& b, const OlderObjects& older) {
  const auto classes = static_cast<double>(b.first.object_class - a.last.object_class);
  return classes * static_cast<double>(older.highest()) + static_cast<double>(b.first.object) -
         static_cast<double>(a.last.object);
}

}  // namespace

std::optional<ObjectPrefix> OlderObjects::next(const ObjectPrefix& prefix) const {
  if (prefix.object < highest()) return ObjectPrefix{prefix.object_class, prefix.object + 1};
  if (prefix.object_class == UINT8_MAX) return std::nullopt;
  return ObjectPrefix{static_cast<std::uint8_t>(prefix.object_class + 1), 0};
}

std::optional<PrefixRange> OlderObjects::prefixes_of(const KeyRange& range) const {
  if (empty() || range.empty()) return std::nullopt;
  PrefixRange prefixes{prefix_of(range.begin), {UINT8_MAX, UINT64_MAX}};
  if (range.end) {
    prefixes.last = prefix_of(*range.end);
    // If the end is the first key with its prefix, no key before it has that prefix.
    if (first_key_of(prefixes.last) == *range.end) {
      auto& [last_class, last] = prefixes.last;
      if (last == 0) --last_class;  // not the first class: the range would be empty
      --last;
    }
  }
  if (!contains(prefixes.first.object)) {
    const auto next_older = next(prefixes.first);
    if (!next_older) return std::nullopt;
    prefixes.first = *next_older;
  }
  prefixes.last.object = std::min(prefixes.last.object, highest());
  if (prefixes.last < prefixes.first) return std::nullopt;
  return prefixes;
}

bool PrefixRanges::is_valid(const std::vector<PrefixRange>& ranges, const OlderObjects& older) {
  if (ranges.size() > kRangesMax) return false;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& [first, last] = ranges[i];
    if (last < first || !older.contains(first.object) || !older.contains(last.object)) return false;
    if (i == 0) continue;
    const auto behind = older.next(ranges[i - 1].last);
    if (!behind || first <= *behind) return false;
  }
  return true;
}

const PrefixRange* PrefixRanges::find(const ObjectPrefix& prefix) const {
  const auto behind = std::ranges::upper_bound(ranges_, prefix, {}, &PrefixRange::first);
  if (behind == ranges_.begin() || !std::prev(behind)->contains(prefix)) return nullptr;
  return &*std::prev(behind);
}

PrefixRanges PrefixRanges::with(PrefixRange range, const OlderObjects& older) const {
  PrefixRanges all;
  all.ranges_.reserve(ranges_.size() + 1);
  const auto is_behind = [&](const ObjectPrefix& prefix, const PrefixRange& other) {
    const auto behind = older.next(other.last);
    return behind && *behind < prefix;
  };
  auto at = ranges_.begin();
  for (; at != ranges_.end() && is_behind(range.first, *at); ++at) all.ranges_.push_back(*at);
  for (; at != ranges_.end() && !is_behind(at->first, range); ++at) {
    range = {std::min(range.first, at->first), std::max(range.last, at->last)};
  }
  all.ranges_.push_back(range);
  all.ranges_.insert(all.ranges_.end(), at, ranges_.end());
  if (all.ranges_.size() > kRangesMax) all.join_nearest(older);
  return all;
}

void PrefixRanges::join_nearest(const OlderObjects& older) {
  std::size_t nearest = 1;
  for (std::size_t i = 2; i < ranges_.size(); ++i) {
    if (gap_between(ranges_[i - 1], ranges_[i], older) <
        gap_between(ranges_[nearest - 1], ranges_[nearest], older)) {
      nearest = i;
    }
  }
  ranges_[nearest - 1].last = ranges_[nearest].last;
  ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(nearest));
}

}  // namespace dgfs::delta
