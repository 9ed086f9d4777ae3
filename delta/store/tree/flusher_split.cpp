// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What has become of the slots of a node is one node again, or several.
#include <iterator>
#include <utility>

#include "delta/store/tree/flusher.h"

namespace dgfs::delta {

// Into parts that are about equal.
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
