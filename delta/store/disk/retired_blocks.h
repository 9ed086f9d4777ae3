// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Space that the tree no longer refers to, until nothing else does: the last checkpoint, which a
// crash would return to, and views that began before.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "delta/store/disk/used_space.h"

namespace dgfs::delta {

/// Whoever holds one keeps the blocks of the tree that it was made for.
using TreeHold = std::shared_ptr<const int>;

/// For one thread; holds may be let go by any.
class RetiredBlocks {
 public:
  /// @param hold   of the last tree that refers to the space; null: none does
  /// @param space  empty, too: what is retired later waits for this tree all the same
  void add(const TreeHold& hold, UsedSpace space) {
    retired_.push_back({hold, false, std::move(space)});
    count(retired_.back().space.bytes());
  }
  /// What was added last, as empty, is this. Needs no memory.
  void fill_last(UsedSpace space) {
    retired_.back().space = std::move(space);
    count(retired_.back().space.bytes());
  }
  /// A checkpoint of a tree that came after all that were added is durable.
  void note_checkpoint() {
    for (auto& each : retired_) each.is_past_checkpoint = true;
    waiting_bytes_ = 0;
  }
  /// Of all of it, with padding.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Of what no checkpoint has come after.
  [[nodiscard]] std::uint64_t waiting_bytes() const { return waiting_bytes_; }
  [[nodiscard]] bool empty() const { return retired_.empty(); }
  [[nodiscard]] bool waits_for_checkpoint() const {
    return !retired_.empty() && !retired_.back().is_past_checkpoint;
  }
  /// What nobody can need any more.
  [[nodiscard]] UsedSpace take_free() {
    UsedSpace free;
    // A view of a tree has the blocks of that tree, which those retired later may be among.
    while (!retired_.empty() && retired_.front().is_past_checkpoint &&
           retired_.front().hold.expired()) {
      free.add(retired_.front().space);
      bytes_ -= retired_.front().space.bytes();
      retired_.pop_front();
    }
    return free;
  }

 private:
  struct Retired {
    std::weak_ptr<const int> hold;
    bool is_past_checkpoint;
    UsedSpace space;
  };

  void count(std::uint64_t bytes) {
    bytes_ += bytes;
    waiting_bytes_ += bytes;
  }

  std::deque<Retired> retired_;
  std::uint64_t bytes_ = 0;
  std::uint64_t waiting_bytes_ = 0;
};

}  // namespace dgfs::delta
