// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueAhead: tells the system which large values a cursor will be asked for, while it is at those
// before. They lie where they were bound, in no order of their keys, so that each would be waited
// for alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "delta/disk/block_file.h"
#include "delta/tree/run.h"

namespace dgfs::delta {

/// Of one cursor, from where it was put on, in one direction.
class ValueAhead {
 public:
  /// The cursor was put somewhere, or has turned.
  void begin() { *this = ValueAhead(); }
  /// It goes on in another run.
  void enter() {
    begin_ = SIZE_MAX;
    end_ = 0;
  }
  /// The value of a point will be read now. Nothing is announced at the first, which may be the
  /// only one; then more each time, a megabyte at most.
  /// @param at        of `run`; of a large value, else nothing happens
  /// @param backward  where the cursor goes
  /// @param volume    has the values
  void visit(const Run& run, std::size_t at, bool backward, const BlockFile& volume);

 private:
  std::size_t asked_ = 0;         ///< large values that were read
  std::size_t begin_ = SIZE_MAX;  ///< of the points of the run that were announced
  std::size_t end_ = 0;
};

}  // namespace dgfs::delta
