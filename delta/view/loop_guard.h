// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LoopGuard: detects that a walk goes in a circle. Records of a damaged store may make directories
// each other's parents.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// Brent's algorithm: sets a new mark after 1, 2, 4, ... steps; a walk in a loop comes back to it.
/// For one thread and one walk. Memory: a few numbers.
class LoopGuard {
 public:
  /// Call it for each object of the walk: whether the walk is in a loop. It returns true after at
  /// most three times as many steps as there are objects before and in the loop.
  [[nodiscard]] bool is_in_loop(ObjectNumber object) {
    if (object == mark_) return true;
    if (++steps_ == steps_max_) {
      mark_ = object;
      steps_ = 0;
      steps_max_ *= 2;
    }
    return false;
  }
  /// The same, with kCorrupt if the walk is in a loop.
  [[nodiscard]] Status pass(ObjectNumber directory) {
    if (!is_in_loop(directory)) return ok();
    return Error(ErrorKind::kCorrupt, 7388, "directories lie in each other").in_section("delta");
  }

 private:
  ObjectNumber mark_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t steps_max_ = 1;
};

}  // namespace dgfs::view
