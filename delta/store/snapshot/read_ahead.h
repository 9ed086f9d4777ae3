// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadAhead: announces to the system the blocks that a cursor will read next: the next leaves, and
// the messages that wait for them above. Also the blocks that a lookup will probably need.
#pragma once

#include <cstddef>

#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// For one cursor.
class ReadAhead {
 public:
  /// The cursor was put at a new place.
  void begin() { steps_ = 0; }
  /// The cursor goes on to the next slice.
  /// @param backward  or to the one before
  void step(bool backward);
  /// The slice lies in this slot of a node of height 0.
  void visit_leaf(const Node& node, std::size_t slot, const BlockSource& source) const;
  /// The slice lies below this slot of a node, in a slot of the child.
  void visit_inner(const Node& node, std::size_t slot, const Node& child, std::size_t child_slot,
                   const BlockSource& source) const;

 private:
  [[nodiscard]] bool enters(const Node& node, std::size_t slot) const;
  void announce(const Node& node, std::size_t slot, std::size_t distance,
                const BlockSource& source) const;

  std::size_t steps_ = 0;  ///< in one direction
  bool backward_ = false;
};

/// Announces the runs of a node of height 0 that are on disk and small compared with the large
/// values that they refer to: these runs will all be read with their values. Of other runs a lookup
/// reads only a page.
/// Cost: O(number of runs and of their values), plus a system call for each stretch of runs.
void announce_index_of_values(const Node& leaf, const BlockSource& source);

}  // namespace dgfs::delta
