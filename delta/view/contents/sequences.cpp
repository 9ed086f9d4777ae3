// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/sequences.h"

#include <algorithm>

namespace dgfs::view {

Sequences::Range Sequences::note(ObjectNumber object, std::uint64_t offset_bytes,
                                 std::uint64_t length_bytes) {
  const auto end = offset_bytes + length_bytes;
  const std::lock_guard lock(mutex_);
  ++now_;
  const auto goes_on = [&](const Sequence& each) {
    return each.used != 0 && each.object == object && each.next_bytes == offset_bytes;
  };
  const auto found = std::ranges::find_if(sequences_, goes_on);
  if (found == sequences_.end()) {
    *std::ranges::min_element(sequences_, {}, &Sequence::used) = {object, end, end, now_};
    return {};
  }
  found->next_bytes = end;
  found->used = now_;
  const auto begin = std::max(found->ahead_bytes, end);
  // In large pieces, because each announcement has a cost.
  if (begin >= end + kAheadBytes / 2) return {0, 0, true};
  found->ahead_bytes = end + kAheadBytes;
  return {begin, found->ahead_bytes, true};
}

}  // namespace dgfs::view
