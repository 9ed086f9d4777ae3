// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Newer over older: how what the levels of a store say of one key goes together. The memtable,
// merges of runs and lookups all ask here, so that a new kind of message is a change of this file.
#pragma once

#include <boost/container/small_vector.hpp>
#include <utility>

#include "delta/store/message/message.h"

namespace dgfs::delta {

/// `newer` over `older`: what both say together. A patch of what is not there changes an empty
/// value; one without edits says nothing.
[[nodiscard]] Message composed(Message older, Message newer);
/// The same where nothing is older: a patch changes an empty value; one without edits says that
/// there is no such key.
[[nodiscard]] Message over_nothing(Message newer);
/// Whether a message of a kind need not be said where nothing is older.
[[nodiscard]] constexpr bool is_needless_over_nothing(MessageKind kind) {
  return kind == MessageKind::kDelete || kind == MessageKind::kErase;
}

/// What the levels say of one key together, from the newest on. For one thread.
class Overlay {
 public:
  explicit Overlay(Message newest) { said_.push_back(std::move(newest)); }

  /// Older levels have nothing to add: add_older() ignores them from now on.
  [[nodiscard]] bool is_final() const { return is_over_nothing_ || said_.back().is_final(); }
  /// The next older level has a message.
  void add_older(Message older) {
    if (!is_final()) said_.push_back(std::move(older));
  }
  /// The next older level has a range delete over the key, or there is none.
  void add_nothing_older() { is_over_nothing_ = true; }

  /// All of it. It has nothing then.
  [[nodiscard]] Message take();

 private:
  boost::container::small_vector<Message, 2> said_;  ///< the newest first; the last may be final
  bool is_over_nothing_ = false;
};

}  // namespace dgfs::delta
