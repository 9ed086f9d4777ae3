// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cursor: moves through the keys of a view in order, in both directions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "delta/store/snapshot/slice_walk.h"
#include "delta/store/snapshot/value_ahead.h"

namespace dgfs::delta {

/// Shows the store as it was when the cursor was made. For one thread. It is at a key, or at none:
/// behind the last or before the first. While it goes on in one direction, the next blocks are read
/// ahead, and large values too, if it is asked for them.
class Cursor {
 public:
  /// Is at no key.
  /// @param source  must outlive it
  /// @param bounds  of the keys that it shows
  Cursor(TreeView view, const BlockSource& source, KeyRange bounds)
      : walk_(std::move(view), source, std::move(bounds)) {}

  /// Moves to the first key that is not below `key`. Errors of all moves: those of Stored::load;
  /// the cursor is at no key then.
  [[nodiscard]] Status seek(std::string_view key);
  /// Moves to the last key before `end`.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// The cursor must be at a key.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();

  [[nodiscard]] bool is_at_key() const { return walk_.is_somewhere(); }
  /// Valid while the cursor is there.
  [[nodiscard]] std::string_view key() const { return point().key; }
  /// The value, valid until the cursor moves or this is called again. Reads a large value, and
  /// keeps it in memory for the same time. Errors: those of LargeValue::load.
  [[nodiscard]] Result<std::string_view> value();

 private:
  [[nodiscard]] Point point() const { return run().point(at_); }
  [[nodiscard]] const Run& run() const { return *walk_.slice().run; }
  void start();
  void turn(bool backward);
  void enter_slice();
  [[nodiscard]] Status find_forward();
  [[nodiscard]] Status find_backward();

  SliceWalk walk_;      ///< its slice is settled; nowhere if the cursor is at no key
  std::size_t at_ = 0;  ///< of the slice's points
  ValueRef large_;      ///< of the present key, if it was asked for
  ValueAhead values_ahead_;
  bool is_backward_ = false;  ///< direction of the last move
};

}  // namespace dgfs::delta
