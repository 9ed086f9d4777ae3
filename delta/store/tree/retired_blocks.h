// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Space that the tree no longer refers to, until nothing else does: the last checkpoint, which a
// crash would return to, and views that began before.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "delta/store/disk/used_space.h"
#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// Whoever holds one keeps the blocks of the tree that it was made for.
using TreeHold = std::shared_ptr<const int>;

/// What one change of the tree has left. A value.
struct Retired {
  std::weak_ptr<const int> hold;  ///< of the last tree that refers to it
  UsedSpace space;
  std::vector<StoredNode> subtrees;  ///< whose space is not in `space` yet
  bool is_past_checkpoint = false;
  // Of so many extents of `space`, which is added to and never changed.
  mutable std::size_t counted = 0;
  mutable std::uint64_t counted_bytes = 0;

  [[nodiscard]] std::uint64_t padded_size_bytes() const {
    const auto extents = space.blocks.size() + space.values.size();
    if (extents != std::exchange(counted, extents)) counted_bytes = space.padded_size_bytes();
    return counted_bytes;
  }
};

/// For one thread; holds may be let go by any.
class RetiredBlocks {
 public:
  /// A list of one that takes memory while nothing has changed yet.
  using Room = std::list<Retired>;
  /// @param hold  of the last tree that refers to what will be retired
  [[nodiscard]] static Room room_for(const TreeHold& hold) {
    return Room(1, Retired{hold, {}, {}});
  }

  /// What is retired later waits for this tree, also where it has left nothing. Needs no memory.
  Retired& add(Room room) {
    retired_.splice(retired_.end(), room);
    return retired_.back();
  }
  /// A checkpoint of a tree that came after all that were added is durable.
  void note_checkpoint() {
    for (auto& each : retired_) each.is_past_checkpoint = true;
  }
  [[nodiscard]] bool empty() const { return retired_.empty(); }
  [[nodiscard]] bool waits_for_checkpoint() const {
    return !retired_.empty() && !retired_.back().is_past_checkpoint;
  }
  /// The oldest, if nobody can need it any more; else null.
  [[nodiscard]] Retired* oldest_free() {
    // A view of a tree has the blocks of that tree, which those retired later may be among.
    if (retired_.empty() || !retired_.front().is_past_checkpoint) return nullptr;
    return retired_.front().hold.expired() ? &retired_.front() : nullptr;
  }
  void drop_oldest() { retired_.pop_front(); }
  /// Of all, the oldest first.
  [[nodiscard]] std::list<Retired>& all() { return retired_; }
  /// What is past the checkpoint and still here, but for subtrees whose space is not told: what
  /// views keep, as soon as all has been freed that can be. O(number of changes of the tree).
  [[nodiscard]] std::uint64_t held_bytes() const { return bytes_of(true); }
  /// What waits for the next checkpoint, likewise.
  [[nodiscard]] std::uint64_t waiting_bytes() const { return bytes_of(false); }

 private:
  [[nodiscard]] std::uint64_t bytes_of(bool is_past_checkpoint) const {
    std::uint64_t bytes = 0;
    for (const Retired& each : retired_) {
      if (each.is_past_checkpoint == is_past_checkpoint) bytes += each.padded_size_bytes();
    }
    return bytes;
  }

  std::list<Retired> retired_;
};

}  // namespace dgfs::delta
