// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/range_tombstones.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dgfs::delta {

// The end is the prefix with its last byte incremented; trailing bytes of 0xff are dropped.
KeyRange prefix_range(std::string prefix) {
  std::string end = prefix;
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return {std::move(prefix), std::nullopt};
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return {std::move(prefix), std::move(end)};
}

void RangeTombstones::add(KeyRange range) {
  if (range.empty()) return;
  // The first range that ends at or behind the start of the new one.
  auto at = map_.upper_bound(range.begin);
  if (at != map_.begin()) {
    const auto before = std::prev(at);
    if (!before->second || *before->second >= range.begin) at = before;
  }
  while (at != map_.end() && (!range.end || at->first <= *range.end)) {
    range.begin = std::min(range.begin, at->first);
    if (ends_before(range.end, at->second)) range.end = at->second;
    size_bytes_ -= bytes_of(*at);
    at = map_.erase(at);
  }
  const auto added = map_.emplace_hint(at, std::move(range.begin), std::move(range.end));
  size_bytes_ += bytes_of(*added);
}

void RangeTombstones::add(const RangeTombstones& others) {
  for (const auto& [begin, end] : others) add({begin, end});
}

bool RangeTombstones::covers(const KeyRange& range) const {
  if (range.empty()) return true;
  const auto tombstone = find(range.begin);
  return tombstone != map_.end() && !ends_before(tombstone->second, range.end);
}

bool RangeTombstones::overlaps(const KeyRange& range) const {
  if (range.empty()) return false;
  const auto next = map_.lower_bound(range.begin);
  return (next != map_.end() && is_before(next->first, range.end)) || covers(range.begin);
}

RangeTombstones::Map::const_iterator RangeTombstones::find(std::string_view key) const {
  const auto behind = map_.upper_bound(key);
  if (behind == map_.begin()) return map_.end();
  const auto tombstone = std::prev(behind);
  return is_before(key, tombstone->second) ? tombstone : map_.end();
}

RangeTombstones::Map::const_iterator RangeTombstones::find_before(const KeyEnd& key) const {
  const auto behind = key ? map_.lower_bound(*key) : map_.end();
  if (behind == map_.begin()) return map_.end();
  const auto tombstone = std::prev(behind);
  return ends_before(tombstone->second, key) ? map_.end() : tombstone;
}

RangeTombstones RangeTombstones::clipped(const KeyRange& range) const {
  RangeTombstones part;
  if (range.empty()) return part;
  auto at = find(range.begin);
  if (at == map_.end()) at = map_.lower_bound(range.begin);
  for (; at != map_.end() && is_before(at->first, range.end); ++at) {
    part.add({std::max(at->first, range.begin),
              ends_before(range.end, at->second) ? range.end : at->second});
  }
  return part;
}

}  // namespace dgfs::delta
