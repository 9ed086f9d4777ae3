// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MessageCursor: goes through what a view says, in order, either way: what a store says over what
// may lie below it, so that it can be merged with that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "delta/store/snapshot/slice_walk.h"

namespace dgfs::delta {

/// Sees the store as it was when it was made. For one thread.
///
/// It stands at a place, or nowhere. A place is a key that the view has a message for, or where a
/// stretch of keys begins that a range tombstone covers, or both. For a key that is no place
/// itself, the last place before it says whether the key is covered: covered_until(). The cursor
/// may show one stretch as several pieces that touch.
class MessageCursor {
 public:
  /// Stands nowhere.
  /// @param source  must outlive it
  /// @param bounds  of the places where it stands
  MessageCursor(TreeView view, const BlockSource& source, KeyRange bounds)
      : walk_(std::move(view), source, std::move(bounds)) {}

  /// To the first place that is not below `key`; to `key` itself if it is covered. Errors of all
  /// moves: those of Stored::load; it stands nowhere then.
  [[nodiscard]] Status seek(std::string_view key);
  /// To the last place that lies before `end`.
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// It must stand at a place.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();
  /// Nowhere.
  void leave() { walk_.leave(); }

  [[nodiscard]] bool is_at_place() const { return walk_.is_somewhere(); }
  // While it stands there:
  [[nodiscard]] std::string_view key() const { return key_; }
  /// What is said of the key; nullopt if nothing but that it is covered. A message is newer than
  /// what covers its key: a patch changes an empty value there.
  [[nodiscard]] std::optional<Message> message() const;
  /// Keys from this place on, and before the end, that have no message are gone, whatever lies
  /// below. Null where the place is not covered.
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

  SliceWalk walk_;         ///< nowhere where this is
  std::size_t at_ = 0;     ///< the first point of the slice that is not before the place
  Tombstone tombstone_{};  ///< the first that does not begin before it
  std::string key_;        ///< of the place
};

}  // namespace dgfs::delta
