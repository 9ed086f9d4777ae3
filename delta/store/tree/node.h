// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Node: a part of the key space, cut into slots. A slot has the runs of messages that wait for its
// child, from the oldest to the newest, and the child. In a node of height 0 a slot has a basement
// instead of a child: a run of the values that earlier messages have made.
//
// Nodes never change. A change makes a new node, and new nodes above it up to the root; they share
// everything that has not changed. So a reader sees the tree as it was when the reader began,
// without a lock. Runs are blocks of their own, and a new node costs a few kilobytes: a flush hands
// on the runs that it moves, and rewrites no other messages of the child (as in the STBε-tree of
// SplinterDB).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/run/run.h"
#include "delta/store/tree/tree_run.h"

namespace dgfs::delta {

class Node;
using StoredNode = std::shared_ptr<const Stored<Node>>;

/// A value, which shares the parts that it refers to.
struct Slot {
  /// Keys of the slot are not below it, and are below that of the next slot. Not used in a node's
  /// first slot: that slot has all keys of the node before the second slot.
  std::string low;
  StoredNode child;             ///< null in a node of height 0
  StoredRun basement;           ///< at height 0; null: empty
  std::vector<StoredRun> runs;  ///< the oldest first

  [[nodiscard]] std::size_t waiting_bytes() const;
};

/// Thread-safe, except size_bytes().
class Node {
 public:
  /// @param slots  at least one
  Node(unsigned height, std::vector<Slot> slots) : height_(height), slots_(std::move(slots)) {}
  /// A node with one empty slot, and below it nodes of the same kind.
  [[nodiscard]] static StoredNode make_empty(unsigned height);

  [[nodiscard]] unsigned height() const { return height_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  /// The slot that has `key`.
  [[nodiscard]] std::size_t find(std::string_view key) const;
  /// The keys of a slot.
  /// @param range  of the node
  [[nodiscard]] KeyRange range_of(std::size_t slot, const KeyRange& range) const;
  /// Roughly its memory, with what it stores about its runs, but without the runs. It grows when
  /// they are written and get pages, so no other thread may write them meanwhile. O(number of runs
  /// and pages).
  [[nodiscard]] std::size_t size_bytes() const;

  void encode(Buffer& out) const;
  /// Errors: kCorrupt.
  [[nodiscard]] static Result<std::shared_ptr<const Node>> decode(Bytes bytes);
  /// Decodes the form of a block. The size in memory is not known before. Errors: kCorrupt, kLimit
  /// (out of memory).
  [[nodiscard]] static Result<std::shared_ptr<const Node>> unpack(Bytes stored, std::size_t);

 private:
  unsigned height_;
  std::vector<Slot> slots_;
};

[[nodiscard]] inline StoredNode make_node(unsigned height, std::vector<Slot> slots) {
  return std::make_shared<const Stored<Node>>(
      std::make_shared<const Node>(height, std::move(slots)));
}

/// The child of a slot. Errors: those of Stored::load; kCorrupt if its height is wrong.
/// @param height  of the node that has the slot
[[nodiscard]] Result<std::shared_ptr<const Node>> load_child(unsigned height, const Slot& slot,
                                                             const BlockSource& source);

}  // namespace dgfs::delta
