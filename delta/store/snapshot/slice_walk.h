// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SliceWalk: moves through the slices of a view in order, in both directions. Cursors move within
// its present slice.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "delta/store/snapshot/view.h"

namespace dgfs::delta {

/// For one thread. While it goes on in one direction, slices get larger, and the next blocks are
/// read ahead.
class SliceWalk {
 public:
  /// Is nowhere.
  /// @param source  must outlive it
  /// @param bounds  of the keys whose slices it visits
  SliceWalk(TreeView view, const BlockSource& source, KeyRange bounds)
      : view_(std::move(view)), source_(source), bounds_(std::move(bounds)) {}

  /// Moves to the slice that has `key`, or the first key of the bounds if that is higher; nowhere
  /// if the bounds are empty. Errors of all moves: those of Stored::load; the walk is nowhere then.
  [[nodiscard]] Status seek(std::string_view key);
  /// Moves to the slice that has the keys right before `end`, or before the end of the bounds if
  /// that is lower.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// Moves to the next slice; nowhere if it has no key of the bounds.
  [[nodiscard]] Status next();
  /// Moves to the slice before; nowhere if it has no key of the bounds.
  [[nodiscard]] Status previous();
  /// Moves to nowhere.
  void leave() { slice_.reset(); }

  [[nodiscard]] bool is_somewhere() const { return slice_.has_value(); }
  /// Valid while it is somewhere.
  [[nodiscard]] const KeySlice& slice() const { return *slice_; }
  /// The key at which the walk entered the slice: the key that was searched, or the end of the last
  /// slice. Slices may overlap, so this one may have keys on the other side of it.
  [[nodiscard]] const KeyEnd& entry() const { return entry_; }
  /// Replaces the run of the slice, for instance by its settled form.
  void set_run(RunRef run) { slice_->run = std::move(run); }
  [[nodiscard]] const KeyRange& bounds() const { return bounds_; }
  [[nodiscard]] const BlockSource& source() const { return source_; }

 private:
  void start();
  [[nodiscard]] Status enter(KeyEnd key, bool before, const ReadAhead& ahead);

  TreeView view_;
  BlockSource source_;
  KeyRange bounds_;
  std::optional<KeySlice> slice_;
  KeyEnd entry_;
  bool is_passed_ = false;      ///< a range tombstone covers all of the slice
  std::size_t points_max_ = 0;  ///< of the slice; grows while the walk goes on
  ReadAhead ahead_;
};

}  // namespace dgfs::delta
