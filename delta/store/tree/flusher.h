// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Flusher: puts a run into a tree, and makes a new tree of both. Changes nothing of the old tree.
#pragma once

#include <list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "delta/store/disk/parameters.h"
#include "delta/store/disk/used_space.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/extent/value_balance.h"
#include "delta/store/tree/node.h"
#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {

/// For one thread. After a failed call the old tree is unchanged; after a call that throws
/// std::bad_alloc, too, once give_up() was called.
class Flusher {
 public:
  /// @param volume     holds values that become large; must outlive it
  /// @param writer     writes runs of a push that take too much memory; must outlive it
  /// @param bytes_max  roughly, memory for runs that a push has made and not written
  Flusher(const BlockSource& source, ExtentVolume& volume, TreeWriter& writer,
          const StoreParameters& parameters, std::size_t bytes_max)
      : source_(source),
        volume_(&volume),
        writer_(&writer),
        parameters_(parameters),
        bytes_max_(bytes_max) {}

  /// Returns the root of the tree with `run` over it. Flushes messages from nodes that have more
  /// than they may, and splits and merges nodes and basements that are too large or too small. The
  /// old tree stays valid until accept().
  /// @param run     its large values must be bound
  /// @param flushes  false: messages stay in the root, which may exceed its bound, and as little as
  ///                 possible has to be written
  /// Errors: kIo, kCorrupt, kNoSpace (for a value that becomes large, or runs that it writes).
  [[nodiscard]] Result<StoredNode> push(const StoredNode& root, const RunRef& run,
                                        bool flushes = true);
  /// Returns the root of a tree in which the messages for some ranges of keys have reached the
  /// basements. Returns `root` itself if no messages wait there; then accept() must not be called.
  /// Otherwise as push().
  /// @param bytes_max  of runs and large values that it makes; the call ends soon after that
  [[nodiscard]] Result<StoredNode> push_down(const StoredNode& root, const RangeTombstones& ranges,
                                             std::uint64_t bytes_max);
  /// Whether the last push_down() ended before all messages were down.
  [[nodiscard]] bool has_left() const { return has_left_; }
  /// Bytes of runs and large values that it has made in its life.
  [[nodiscard]] std::uint64_t made_bytes() const { return made_bytes_; }
  /// The tree that was made last replaces the old one. Large values of `run`, which was pushed,
  /// belong to the tree now. Needs no memory.
  void accept(const Run& run);
  /// Drops the result of the last push. If there is no memory to note that its blocks are free,
  /// that is done the next time.
  void give_up();

  /// Adds blocks that this could not free yet for lack of memory: they belong to no tree, but the
  /// file counts them as used. Throws std::bad_alloc.
  void add_unfreed(std::vector<Extent>& blocks) const;

  /// Space that the accepted tree does not use; a holder of the old tree may.
  [[nodiscard]] UsedSpace take_used_up() { return std::exchange(used_up_, {}); }
  /// Subtrees that were dropped unread: all space below them is used up as well.
  [[nodiscard]] std::vector<StoredNode> take_cut_off() { return std::exchange(cut_off_, {}); }

 private:
  using Nodes = std::vector<Slot>;  ///< new nodes, as slots of the node above

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
  [[nodiscard]] Result<bool> has_to_go_down(unsigned height, const Slot& slot,
                                            const KeyRange& range);
  [[nodiscard]] bool is_down_enough();
  [[nodiscard]] Status push_down_slots(const Node& node, const KeyRange& range,
                                       std::vector<Slot>& slots);
  [[nodiscard]] Status rewrite_basements(const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Result<std::vector<Slot>> rewritten(const Slot& slot);
  [[nodiscard]] Status merge_children(std::vector<Slot>& slots);
  [[nodiscard]] Result<bool> try_merge(Slot& left, const Slot& right);
  [[nodiscard]] Result<RunRef> taken(std::vector<StoredRun>& runs);
  void clear(unsigned height, Slot& slot);
  [[nodiscard]] Result<RunRef> with_large_values(const RunRef& run);
  [[nodiscard]] Result<Message> in_volume(Message message);
  [[nodiscard]] StoredRun make(RunRef run);
  [[nodiscard]] Status spill();
  void free_unfreed();
  void retire(const StoredRun& run);
  void retire(const StoredNode& node);

  BlockSource source_;
  ExtentVolume* volume_;
  TreeWriter* writer_;
  StoreParameters parameters_;
  std::size_t bytes_max_;

  /// Runs that a push has made, in order. A run moves from one list to another without memory.
  using Made = std::list<StoredRun>;

  // Of one push.
  bool flushes_ = true;
  /// Ranges whose messages are flushed down, or null.
  const RangeTombstones* pushed_down_ = nullptr;
  std::uint64_t down_end_bytes_ = 0;  ///< bound of push_down() on made_bytes_
  ExtentBalance balance_;
  std::vector<LargeRef> made_large_;  ///< values that became large
  Made unwritten_;
  std::size_t unwritten_bytes_ = 0;
  Made spilled_;  ///< written, or being written
  Made in_vain_;  ///< written, but not used by the push any more
  std::unordered_map<const TreeRun*, Made::iterator> made_;  ///< unwritten and spilled ones
  UsedSpace used_up_;
  std::vector<StoredNode> cut_off_;

  bool has_left_ = false;
  std::uint64_t made_bytes_ = 0;
  Made unfreed_;  ///< of any push; their blocks have to be freed
};

}  // namespace dgfs::delta
