// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Node: a part of the key space, cut into slots. A slot has the messages that wait for what is
// below it, as runs from the oldest to the newest, and below it a child, or, in a node of height
// 0, a basement: a run of what the messages before have come to.
//
// Nodes never change. A change makes another node, and new ones above it up to the root, which all
// share what has not changed: so a reader has the tree as it was when it began, without a lock.
// Runs are blocks of their own. A flush so hands on what it moves and rewrites no other messages of
// the child (the STBε-tree of SplinterDB does the like), and a new node costs a few kilobytes.
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

/// A value, which shares what it refers to.
struct Slot {
  /// Keys of the slot are not below it, and below that of the next one. That of a node's first slot
  /// says nothing: it has all keys of the node before the second.
  std::string low;
  StoredNode child;             ///< null in a node of height 0
  StoredRun basement;           ///< of height 0; null: empty
  std::vector<StoredRun> runs;  ///< the oldest first

  [[nodiscard]] std::size_t waiting_bytes() const;
};

/// Thread-safe, but for size_bytes().
class Node {
 public:
  /// @param slots  one at least
  Node(unsigned height, std::vector<Slot> slots) : height_(height), slots_(std::move(slots)) {}
  /// One slot with nothing in it, and below it nodes of the same kind.
  [[nodiscard]] static StoredNode make_empty(unsigned height);

  [[nodiscard]] unsigned height() const { return height_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  /// Which slot has `key`.
  [[nodiscard]] std::size_t find(std::string_view key) const;
  /// The keys of a slot.
  /// @param range  of the node
  [[nodiscard]] KeyRange range_of(std::size_t slot, const KeyRange& range) const;
  /// What it takes of memory with what it knows of its runs, about, without these. It grows when
  /// they are written and get pages: not while another thread writes them. O(number of runs and
  /// pages).
  [[nodiscard]] std::size_t size_bytes() const;

  void encode(Buffer& out) const;
  /// Errors: kCorrupt.
  [[nodiscard]] static Result<std::shared_ptr<const Node>> decode(Bytes bytes);
  /// As a block has it. Its size in memory is not known before. Errors: kCorrupt, kLimit (out of
  /// memory).
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
