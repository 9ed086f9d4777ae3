// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cursor: goes through the keys of a view in order, either way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "delta/store/tree/value_ahead.h"
#include "delta/store/tree/view.h"

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
      : view_(std::move(view)), source_(source), bounds_(std::move(bounds)) {}

  /// To the first key that is not below `key`. Errors of all moves: those of Stored::load; it
  /// stands nowhere then.
  [[nodiscard]] Status seek(std::string_view key);
  /// To the last key that lies before `end`.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// It must stand at a key.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();

  [[nodiscard]] bool is_at_key() const { return slice_.has_value(); }
  /// While it stands there.
  [[nodiscard]] std::string_view key() const { return point().key; }
  /// Where it lies, until the cursor moves or is asked again. A large value is read first, and
  /// stays in memory as long. Errors: those of LargeValue::load.
  [[nodiscard]] Result<std::string_view> value();

 private:
  [[nodiscard]] Point point() const { return slice_->run->point(at_); }
  void start();
  void turn(bool backward);
  [[nodiscard]] Status load(const KeyEnd& key, bool before, const ReadAhead& ahead);
  [[nodiscard]] Status find_forward();
  [[nodiscard]] Status find_backward();

  TreeView view_;
  BlockSource source_;
  KeyRange bounds_;
  std::optional<KeySlice> slice_;  ///< settled; none: it stands nowhere
  bool is_passed_ = false;         ///< a range tombstone covers all of the slice
  std::size_t at_ = 0;             ///< of its points
  std::size_t points_max_ = 0;     ///< of the slice: more for whoever goes on
  ValueRef large_;                 ///< of the key where it stands, if it was asked for
  ReadAhead ahead_;
  ValueAhead values_ahead_;
  bool is_backward_ = false;  ///< where it went last
};

}  // namespace dgfs::delta
