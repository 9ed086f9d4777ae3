// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Space that the tree no longer refers to, but that may still be needed: by the last checkpoint, to
// which a crash returns, and by views that began before.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "delta/store/disk/used_space.h"
#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// While a caller holds one, the blocks of its tree stay.
using TreeHold = std::shared_ptr<const int>;

/// The space that one change of the tree has left. A value.
struct Retired {
  std::weak_ptr<const int> hold;  ///< of the last tree that refers to it
  UsedSpace space;
  std::vector<StoredNode> subtrees;  ///< whose space is not in `space` yet
  bool is_past_checkpoint = false;
  // `counted` extents of `space` are in `counted_bytes`; `space` only grows.
  mutable std::size_t counted = 0;
  mutable std::uint64_t counted_bytes = 0;

  [[nodiscard]] std::uint64_t padded_size_bytes() const {
    const auto extents = space.blocks.size() + space.values.size();
    if (extents != std::exchange(counted, extents)) counted_bytes = space.padded_size_bytes();
    return counted_bytes;
  }
};

/// For one thread; any thread may drop holds.
class RetiredBlocks {
 public:
  /// A list of one, made before anything has changed, so that add() needs no memory.
  using Room = std::list<Retired>;
  /// @param hold  of the last tree that refers to what will be retired
  [[nodiscard]] static Room room_for(const TreeHold& hold) {
    return Room(1, Retired{hold, {}, {}});
  }

  /// Space that is retired later waits for this tree, even if it has left no space. Needs no
  /// memory.
  Retired& add(Room room) {
    retired_.splice(retired_.end(), room);
    return retired_.back();
  }
  /// A checkpoint of a tree that is newer than everything added so far is durable.
  void note_checkpoint() {
    for (auto& each : retired_) each.is_past_checkpoint = true;
  }
  [[nodiscard]] bool empty() const { return retired_.empty(); }
  [[nodiscard]] bool waits_for_checkpoint() const {
    return !retired_.empty() && !retired_.back().is_past_checkpoint;
  }
  /// The oldest, if it is not needed any more; else null.
  [[nodiscard]] Retired* oldest_free() {
    // A view of a tree uses blocks of that tree that may be retired later.
    if (retired_.empty() || !retired_.front().is_past_checkpoint) return nullptr;
    return retired_.front().hold.expired() ? &retired_.front() : nullptr;
  }
  void drop_oldest() { retired_.pop_front(); }
  /// All, the oldest first.
  [[nodiscard]] std::list<Retired>& all() { return retired_; }
  /// Bytes that are past the checkpoint and still here, without subtrees of unknown size. Once
  /// everything possible is freed, these are the bytes that views keep. O(number of changes of the
  /// tree).
  [[nodiscard]] std::uint64_t held_bytes() const { return bytes_of(true); }
  /// Bytes of blocks that wait for the next checkpoint. The cost is that of held_bytes().
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
