// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Flusher: makes of a tree and a run the tree that has both. Nothing of the old one changes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "delta/store/disk/parameters.h"
#include "delta/store/disk/used_space.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/extent/value_balance.h"
#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// For one thread. A failed call leaves the tree that it was given as good as it was; so does one
/// that throws std::bad_alloc, after give_up().
class Flusher {
 public:
  /// @param volume  takes values that have become large; must outlive it
  Flusher(const BlockSource& source, ExtentVolume& volume, const StoreParameters& parameters)
      : source_(source), volume_(&volume), parameters_(parameters) {}

  /// The root of the tree with `run` over it. Moves messages down where a node has more of them
  /// than it may, and splits and merges what has become too large or too small. Nothing has
  /// happened before accept().
  /// @param run     its large values must be bound
  /// @param flushes  false: messages stay in the root, which gets larger than it should, and as
  ///                 little as possible is to be written
  /// Errors: kIo, kCorrupt, kNoSpace (of a value that has become large).
  [[nodiscard]] Result<StoredNode> push(const StoredNode& root, const RunRef& run,
                                        bool flushes = true);
  /// The tree that was made last takes the place of the old one. Large values of `run`, which was
  /// pushed, are the tree's now. Needs no memory.
  void accept(const Run& run);
  /// Lets go of what the last push has made.
  void give_up();

  /// What the tree that was accepted last has no use for. Whoever still has the old one may.
  [[nodiscard]] UsedSpace take_used_up() { return std::exchange(used_up_, {}); }
  /// Subtrees that were dropped without being read: all space below them is used up as well.
  [[nodiscard]] std::vector<StoredNode> take_cut_off() { return std::exchange(cut_off_, {}); }

 private:
  using Nodes = std::vector<Slot>;  ///< new nodes, as slots for the one above: low and child

  [[nodiscard]] Result<StoredNode> push_and_grow(const StoredNode& root, const RunRef& run);
  [[nodiscard]] Result<Nodes> push(const StoredNode& node, const RunRef& run,
                                   const KeyRange& range);
  [[nodiscard]] static Nodes split(unsigned height, std::vector<Slot> slots, std::size_t slots_max);
  [[nodiscard]] Status hand_out(const Node& node, const RunRef& run, const KeyRange& range,
                                std::vector<Slot>& slots);
  [[nodiscard]] Status flush_tombstones(const Node& node, const RangeTombstones& tombstones,
                                        const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Status flush(unsigned height, const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Status flush_slot(std::size_t at, const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Status rewrite_basements(std::vector<Slot>& slots);
  [[nodiscard]] Result<std::vector<Slot>> rewritten(const Slot& slot);
  [[nodiscard]] Status merge_children(std::vector<Slot>& slots);
  [[nodiscard]] Result<bool> try_merge(Slot& left, const Slot& right);
  [[nodiscard]] Result<RunRef> taken(std::vector<StoredRun>& runs);
  void clear(unsigned height, Slot& slot);
  [[nodiscard]] Result<RunRef> with_large_values(const RunRef& run);
  [[nodiscard]] Result<Message> in_volume(Message message);
  [[nodiscard]] StoredRun make(RunRef run);
  void retire(const StoredRun& run);
  void retire(const StoredNode& node);

  BlockSource source_;
  ExtentVolume* volume_;
  StoreParameters parameters_;

  // Of one push.
  bool flushes_ = true;
  ExtentBalance balance_;
  std::vector<LargeRef> made_;  ///< values that have become large
  UsedSpace used_up_;
  std::vector<StoredNode> cut_off_;
};

/// The child of a slot. Errors: those of Stored::load; kCorrupt if its height is wrong.
/// @param height  of the node that has the slot
[[nodiscard]] Result<std::shared_ptr<const Node>> load_child(unsigned height, const Slot& slot,
                                                             const BlockSource& source);

}  // namespace dgfs::delta
