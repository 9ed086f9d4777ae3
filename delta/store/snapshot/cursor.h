// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cursor: goes through the keys of a view in order, either way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "delta/store/snapshot/slice_walk.h"
#include "delta/store/snapshot/value_ahead.h"

namespace dgfs::delta {

/// Sees the store as it was when it was made, whatever is written meanwhile. For one thread.
/// It stands at a key, or at none: behind the last one or before the first. Where it goes on in one
/// direction, the blocks that come next are read ahead, and large values, if it is asked for these.
class Cursor {
 public:
  /// Stands nowhere.
  /// @param source  must outlive it
  /// @param bounds  of the keys that it sees
  Cursor(TreeView view, const BlockSource& source, KeyRange bounds)
      : walk_(std::move(view), source, std::move(bounds)) {}

  /// To the first key that is not below `key`. Errors of all moves: those of Stored::load; it
  /// stands nowhere then.
  [[nodiscard]] Status seek(std::string_view key);
  /// To the last key that lies before `end`.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// It must stand at a key.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();

  [[nodiscard]] bool is_at_key() const { return walk_.is_somewhere(); }
  /// While it stands there.
  [[nodiscard]] std::string_view key() const { return point().key; }
  /// Where it lies, until the cursor moves or is asked again. A large value is read first, and
  /// stays in memory as long. Errors: those of LargeValue::load.
  [[nodiscard]] Result<std::string_view> value();

 private:
  [[nodiscard]] Point point() const { return run().point(at_); }
  [[nodiscard]] const Run& run() const { return *walk_.slice().run; }
  void start();
  void turn(bool backward);
  void enter_slice();
  [[nodiscard]] Status find_forward();
  [[nodiscard]] Status find_backward();

  SliceWalk walk_;      ///< its slice is settled; nowhere where this is
  std::size_t at_ = 0;  ///< of the slice's points
  ValueRef large_;      ///< of the key where it stands, if it was asked for
  ValueAhead values_ahead_;
  bool is_backward_ = false;  ///< where it went last
};

}  // namespace dgfs::delta
