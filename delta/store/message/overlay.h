// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How messages of several levels for one key are put together, newer over older. The memtable,
// merges of runs and lookups all use this file, so a new kind of message changes only it.
#pragma once

#include <boost/container/small_vector.hpp>
#include <utility>

#include "delta/store/message/message.h"

namespace dgfs::delta {

/// `newer` over `older`. A patch over a removal changes an empty value; a patch without edits
/// changes nothing.
[[nodiscard]] Message composed(Message older, Message newer);
/// The same over nothing: a patch changes an empty value; a patch without edits becomes a removal.
[[nodiscard]] Message over_nothing(Message newer);
/// Whether a message of this kind may be dropped if nothing is older.
[[nodiscard]] constexpr bool is_needless_over_nothing(MessageKind kind) {
  return kind == MessageKind::kDelete || kind == MessageKind::kErase;
}

/// Puts together the messages of all levels for one key, from the newest on. For one thread.
class Overlay {
 public:
  explicit Overlay(Message newest) { said_.push_back(std::move(newest)); }

  /// Older levels add nothing: add_older() ignores them from now on.
  [[nodiscard]] bool is_final() const { return is_over_nothing_ || said_.back().is_final(); }
  /// Adds the message of the next older level.
  void add_older(Message older) {
    if (!is_final()) said_.push_back(std::move(older));
  }
  /// The next older level has a range tombstone over the key, or there is no older level.
  void add_nothing_older() { is_over_nothing_ = true; }

  /// The result. Empties the overlay.
  [[nodiscard]] Message take();

 private:
  boost::container::small_vector<Message, 2> said_;  ///< the newest first; the last may be final
  bool is_over_nothing_ = false;
};

}  // namespace dgfs::delta
