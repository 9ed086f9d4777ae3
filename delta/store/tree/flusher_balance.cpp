// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Splits nodes that are too large, and merges small children of a node.
#include <algorithm>
#include <iterator>
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

// Only children that were just changed are in memory, so only their number of slots is known
// without a read. A small child that does not change does no harm.
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
  // Their keys differ, so their order does not matter.
  left.runs.insert(left.runs.end(), right.runs.begin(), right.runs.end());
  return true;
}

// Into parts of about equal size.
Flusher::Nodes Flusher::split(unsigned height, std::vector<Slot> slots, std::size_t slots_max) {
  Nodes nodes;
  const auto parts = (slots.size() + slots_max - 1) / slots_max;
  auto begin = std::make_move_iterator(slots.begin());
  for (std::size_t part = 0; part < parts; ++part) {
    const auto end = std::make_move_iterator(
        slots.begin() + static_cast<std::ptrdiff_t>(slots.size() * (part + 1) / parts));
    Slot node;
    node.low = begin.base()->low;
    node.child = make_node(height, {begin, end});
    nodes.push_back(std::move(node));
    begin = end;
  }
  return nodes;
}

}  // namespace dgfs::delta
