// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueAhead: tells the system which large values a cursor will be asked for, while it is at those
// before. They lie where they were bound, in no order of their keys, so that each would be waited
// for alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "delta/store/disk/block_file.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// Of one cursor, from where it was put on, in one direction.
class ValueAhead {
 public:
  /// The cursor was put somewhere, or has turned.
  void begin() { *this = ValueAhead(); }
  /// It goes on in another run.
  void enter() {
    next_ = 0;
    end_ = 0;
    bytes_ = 0;
  }
  /// Where whoever reads the value that was visited notes whether it had to wait: then those that
  /// follow are not in memory either, most likely. Null once one had, since to ask costs a call of
  /// the system.
  [[nodiscard]] bool* wait_to_note() { return has_waited_ ? nullptr : &has_waited_; }
  /// The value of a point will be read now. Nothing is announced as long as all that was read was
  /// in memory, nor at the first, which may be the only one; then more each time, so that a
  /// megabyte at most is announced and not yet passed.
  /// @param at        of `run`; of a large value, else nothing happens
  /// @param backward  where the cursor goes
  /// @param volume    has the values
  void visit(const Run& run, std::size_t at, bool backward, const BlockFile& volume);

 private:
  bool has_waited_ = false;
  std::size_t asked_ = 0;  ///< large values that were read
  // Of the points of the run, in the order of its way:
  std::size_t next_ = 0;     ///< the first that it has not come to
  std::size_t end_ = 0;      ///< behind the last that was announced
  std::uint64_t bytes_ = 0;  ///< of large values between these
};

}  // namespace dgfs::delta
