// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/extent_cover.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace dgfs::reader {

void ExtentCover::add(format::DataAddress at, std::uint64_t stored_bytes) {
  if (stored_bytes == 0 || !is_complete_) return;
  const auto begin = at.offset_bytes;
  const auto end =
      begin + std::min(stored_bytes, std::numeric_limits<std::uint64_t>::max() - begin);
  auto& stretches = volumes_[at.volume];
  auto next = stretches.upper_bound(begin);
  if (next != stretches.begin() && std::prev(next)->second >= begin) {
    const auto before = std::prev(next);
    if (before->second >= end) return;
    before->second = end;
    return join_behind(stretches, before);
  }
  if (count_ == kStretchesMax) {
    is_complete_ = false;
    return;
  }
  ++count_;
  join_behind(stretches, stretches.emplace_hint(next, begin, end));
}

// Joins the stretches behind one that it has come to touch.
void ExtentCover::join_behind(Stretches& stretches, Stretches::iterator at) {
  for (auto next = std::next(at); next != stretches.end() && next->first <= at->second;) {
    at->second = std::max(at->second, next->second);
    next = stretches.erase(next);
    --count_;
  }
}

Status ExtentCover::each_gap(format::VolumeNumber volume, std::uint64_t begin_bytes,
                             std::uint64_t end_bytes, const Gap& gap) const {
  const auto found = volumes_.find(volume);
  auto at = begin_bytes;
  if (found != volumes_.end()) {
    for (const auto& [begin, end] : found->second) {
      if (at < begin && at < end_bytes) {
        DGFS_CHECK(gap(at, std::min(begin, end_bytes)));
      }
      at = std::max(at, end);
    }
  }
  return at < end_bytes ? gap(at, end_bytes) : Status(ok());
}

}  // namespace dgfs::reader
