// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueAhead: announces to the system the large values that a cursor will read next. They lie in
// the order in which they were bound, not in key order, so without this each read would wait.
#pragma once

#include <cstddef>
#include <cstdint>

#include "delta/store/disk/block_file.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// For one cursor, from where it was put, in one direction.
class ValueAhead {
 public:
  /// The cursor was put at a new place, or has turned.
  void begin() { *this = ValueAhead(); }
  /// The cursor goes on in another run.
  void enter() {
    next_ = 0;
    end_ = 0;
    bytes_ = 0;
  }
  /// Where the reader of the visited value notes whether it had to wait; if it had, the next values
  /// are probably not in memory either. Null once a reader had to wait, because finding out costs a
  /// system call.
  [[nodiscard]] bool* wait_to_note() { return has_waited_ ? nullptr : &has_waited_; }
  /// The value of a point will be read now. Announces the values that follow, but not while all
  /// values so far were in memory, and not at the first one, which may be the only one. Announces
  /// more each time, up to a megabyte that the cursor has not passed yet.
  /// @param at        of `run`; nothing happens unless its value is large
  /// @param backward  direction of the cursor
  /// @param volume    holds the values
  void visit(const Run& run, std::size_t at, bool backward, const BlockFile& volume);

 private:
  bool has_waited_ = false;
  std::size_t asked_ = 0;  ///< large values that were read
  // Points of the run, in the order of the cursor's direction:
  std::size_t next_ = 0;     ///< the first that the cursor has not reached
  std::size_t end_ = 0;      ///< behind the last one announced
  std::uint64_t bytes_ = 0;  ///< of large values between these
};

}  // namespace dgfs::delta
