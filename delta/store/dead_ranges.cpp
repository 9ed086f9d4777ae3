// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/dead_ranges.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace dgfs::delta {

void DeadRanges::add(const Batch& batch, std::uint64_t now_ns) noexcept {
  if (batch.dead().empty()) return;
  const std::lock_guard lock(mutex_);
  try {
    if (bytes_ == 0) since_ns_ = now_ns;
    for (const DeadRange& dead : batch.dead()) {
      ranges_.add(dead.range);
      bytes_ += std::min(dead.bytes, UINT64_MAX - bytes_);
    }
    keep_few();
  } catch (const std::bad_alloc&) {
  }
}

void DeadRanges::keep_few() {
  if (ranges_.size() <= kRangesMax) return;
  RangeTombstones few;
  for (auto at = ranges_.begin(); at != ranges_.end(); ++at) {
    const auto first = at;
    const auto next = std::next(at);
    if (next != ranges_.end()) at = next;
    few.add({first->first, at->second});
  }
  ranges_ = std::move(few);
}

RangeTombstones DeadRanges::take() {
  const std::lock_guard lock(mutex_);
  taken_bytes_ = bytes_.exchange(0);
  return std::exchange(ranges_, {});
}

void DeadRanges::note_seen_to() noexcept {
  const std::lock_guard lock(mutex_);
  bytes_ += std::min(std::exchange(taken_bytes_, 0), UINT64_MAX - bytes_);
}

void DeadRanges::give_back(const RangeTombstones& ranges, bool is_due) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    ranges_.add(ranges);
    if (is_due) bytes_ += std::min(std::exchange(taken_bytes_, 0), UINT64_MAX - bytes_);
    keep_few();
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace dgfs::delta
