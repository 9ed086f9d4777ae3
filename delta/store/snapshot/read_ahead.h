// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadAhead: tells the system which blocks a cursor will read, while it is at those before: the
// next leaves, and what waits for them above. And what a lookup makes likely.
#pragma once

#include <cstddef>

#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// Of one cursor.
class ReadAhead {
 public:
  /// The cursor was put somewhere.
  void begin() { steps_ = 0; }
  /// It goes on to the next slice.
  /// @param backward  or to the one before
  void step(bool backward);
  /// The slice has this slot of a node of height 0.
  void visit_leaf(const Node& node, std::size_t slot, const BlockSource& source) const;
  /// The slice is below this slot of a node, in a slot of the child.
  void visit_inner(const Node& node, std::size_t slot, const Node& child, std::size_t child_slot,
                   const BlockSource& source) const;

 private:
  [[nodiscard]] bool enters(const Node& node, std::size_t slot) const;
  void announce(const Node& node, std::size_t slot, std::size_t distance,
                const BlockSource& source) const;

  std::size_t steps_ = 0;  ///< in one direction
  bool backward_ = false;
};

/// Announces those runs of a node of height 0 that are on disk and take little beside the large
/// values that they refer to: they will all be asked for some day, with their values. Of other runs
/// a lookup wants a page alone.
/// Cost: O(number of runs and of their values), and a call of the system for each stretch of runs.
void announce_index_of_values(const Node& leaf, const BlockSource& source);

}  // namespace dgfs::delta
