// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Children of a node that have become small are put together.
#include <algorithm>
#include <utility>

#include "delta/store/tree/flusher.h"

namespace dgfs::delta {

Status Flusher::merge_children(std::vector<Slot>& slots) {
  for (std::size_t i = 1; i < slots.size();) {
    DGFS_TRY(is_one, try_merge(slots[i - 1], slots[i]));
    if (is_one) {
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return ok();
}

// Only what is in memory, that is what has just been changed, tells how many slots it has without
// being read; a small one that nobody changes harms nobody.
Result<bool> Flusher::try_merge(Slot& left, const Slot& right) {
  if (left.child->place() && right.child->place()) return false;
  DGFS_TRY(a, left.child->load(source_));
  DGFS_TRY(b, right.child->load(source_));
  if (a->height() != b->height()) {
    return Error(ErrorKind::kCorrupt, 7061, "children of one node differ in height");
  }
  if (std::min(a->slots().size(), b->slots().size()) * 4 > parameters_.fanout ||
      (a->slots().size() + b->slots().size()) * 4 > parameters_.fanout * 3) {
    return false;
  }
  std::vector<Slot> slots = a->slots();
  const auto joint = slots.size();
  slots.insert(slots.end(), b->slots().begin(), b->slots().end());
  slots[joint].low = right.low;
  retire(left.child);
  retire(right.child);
  left.child = make_node(a->height(), std::move(slots));
  // Their keys are others, so that it does not matter which is older.
  left.runs.insert(left.runs.end(), right.runs.begin(), right.runs.end());
  return true;
}

}  // namespace dgfs::delta
