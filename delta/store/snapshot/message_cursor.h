// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MessageCursor: moves through the messages of a view, in order, in both directions, so that they
// can be merged with what lies below the store.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "delta/store/snapshot/slice_walk.h"

namespace dgfs::delta {

/// Shows the store as it was when the cursor was made. For one thread.
///
/// It is at a place, or nowhere. A place is a key with a message, or the start of a stretch of keys
/// that a range tombstone covers, or both. For a key between two places, the place before it says
/// whether the key is covered: covered_until(). The cursor may show one stretch as several pieces
/// that touch.
class MessageCursor {
 public:
  /// Is nowhere.
  /// @param source  must outlive it
  /// @param bounds  of the places that it shows
  MessageCursor(TreeView view, const BlockSource& source, KeyRange bounds)
      : walk_(std::move(view), source, std::move(bounds)) {}

  /// Moves to the first place that is not below `key`; to `key` itself if it is covered. Errors of
  /// all moves: those of Stored::load; the cursor is nowhere then.
  [[nodiscard]] Status seek(std::string_view key);
  /// Moves to the last place before `end`.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// The cursor must be at a place.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();
  /// Moves to nowhere.
  void leave() { walk_.leave(); }

  [[nodiscard]] bool is_at_place() const { return walk_.is_somewhere(); }
  // Valid while it is at a place:
  [[nodiscard]] std::string_view key() const { return key_; }
  /// The message of the key; nullopt if the key is only covered. A message is newer than a range
  /// tombstone over its key, so a patch changes an empty value there.
  [[nodiscard]] std::optional<Message> message() const;
  /// The same without a copy, until the cursor moves.
  [[nodiscard]] std::optional<Point> point() const {
    return is_point() ? std::optional(run().point(at_)) : std::nullopt;
  }
  /// If the place is covered: the end of the stretch, whose keys without a message are deleted,
  /// whatever lies below. Null if the place is not covered.
  [[nodiscard]] const KeyEnd* covered_until() const;

 private:
  using Tombstone = RangeTombstones::Map::const_iterator;

  [[nodiscard]] const Run& run() const { return *walk_.slice().run; }
  [[nodiscard]] bool is_point() const;
  [[nodiscard]] bool is_begin() const;
  void enter_slice();
  [[nodiscard]] bool stands_within(std::string_view key);
  [[nodiscard]] Status find_forward();
  [[nodiscard]] Status find_backward();

  SliceWalk walk_;         ///< nowhere if the cursor is
  std::size_t at_ = 0;     ///< the first point of the slice that is not before the place
  Tombstone tombstone_{};  ///< the first that does not begin before the place
  std::string key_;        ///< of the place
};

}  // namespace dgfs::delta
