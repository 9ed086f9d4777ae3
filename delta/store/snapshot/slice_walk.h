// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SliceWalk: goes through the slices of a view in order, either way. Cursors stand in the slice
// where it is.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "delta/store/snapshot/view.h"

namespace dgfs::delta {

/// For one thread. Where it goes on in one direction, slices become larger, and the blocks that
/// come next are read ahead.
class SliceWalk {
 public:
  /// Is nowhere.
  /// @param source  must outlive it
  /// @param bounds  of the keys whose slices it visits
  SliceWalk(TreeView view, const BlockSource& source, KeyRange bounds)
      : view_(std::move(view)), source_(source), bounds_(std::move(bounds)) {}

  /// To the slice that has `key`, or the bounds' first key if that lies behind it; nowhere if the
  /// bounds are empty. Errors of all moves: those of Stored::load; it is nowhere then.
  [[nodiscard]] Status seek(std::string_view key);
  /// To the slice that has the keys right before `end`, or the bounds' end if that lies before it.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// To the slice behind the one where it is; nowhere if that has no key of the bounds.
  [[nodiscard]] Status next();
  /// To the one before it, likewise.
  [[nodiscard]] Status previous();
  /// Nowhere.
  void leave() { slice_.reset(); }

  [[nodiscard]] bool is_somewhere() const { return slice_.has_value(); }
  /// While it is somewhere.
  [[nodiscard]] const KeySlice& slice() const { return *slice_; }
  /// The key at which it has come in: that which was looked for, or where the last slice ended.
  /// Slices may overlap, so that this one may have keys on the other side of it.
  [[nodiscard]] const KeyEnd& entry() const { return entry_; }
  /// Replaces what the slice says, for instance by the same, settled.
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
  std::size_t points_max_ = 0;  ///< of the slice: more for whoever goes on
  ReadAhead ahead_;
};

}  // namespace dgfs::delta
