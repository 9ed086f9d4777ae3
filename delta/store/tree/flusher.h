// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Flusher: makes of a tree and a run the tree that has both. Nothing of the old one changes.
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

/// For one thread. A failed call leaves the tree that it was given as good as it was; so does one
/// that throws std::bad_alloc, after give_up().
class Flusher {
 public:
  /// @param volume     takes values that have become large; must outlive it
  /// @param writer     writes runs while a push makes others, where they would take too much
  ///                   memory; must outlive it
  /// @param bytes_max  of memory for runs that a push has made and not written, about
  Flusher(const BlockSource& source, ExtentVolume& volume, TreeWriter& writer,
          const StoreParameters& parameters, std::size_t bytes_max)
      : source_(source),
        volume_(&volume),
        writer_(&writer),
        parameters_(parameters),
        bytes_max_(bytes_max) {}

  /// The root of the tree with `run` over it. Moves messages down where a node has more of them
  /// than it may, and splits and merges what has become too large or too small. Nothing has
  /// happened before accept().
  /// @param run     its large values must be bound
  /// @param flushes  false: messages stay in the root, which gets larger than it should, and as
  ///                 little as possible is to be written
  /// Errors: kIo, kCorrupt, kNoSpace (of a value that has become large, or of runs that it writes).
  [[nodiscard]] Result<StoredNode> push(const StoredNode& root, const RunRef& run,
                                        bool flushes = true);
  /// The root of the tree in which messages that wait for some ranges of keys have got into the
  /// basements of these. The same root, and accept() is not to be called: nothing waits there.
  /// Otherwise as push().
  /// @param bytes_max  of runs and large values that it makes for that; it ends soon behind that
  [[nodiscard]] Result<StoredNode> push_down(const StoredNode& root, const RangeTombstones& ranges,
                                             std::uint64_t bytes_max);
  /// Whether the last push_down() has ended before all was down.
  [[nodiscard]] bool has_left() const { return has_left_; }
  /// Of runs and large values that it has ever made.
  [[nodiscard]] std::uint64_t made_bytes() const { return made_bytes_; }
  /// The tree that was made last takes the place of the old one. Large values of `run`, which was
  /// pushed, are the tree's now. Needs no memory.
  void accept(const Run& run);
  /// Lets go of what the last push has made. Where there is no memory to note that its blocks are
  /// free, that is done the next time.
  void give_up();

  /// Adds the blocks that this could not free yet, for a lack of memory: the tree does not have
  /// them, and the file takes them for used. Throws std::bad_alloc.
  void add_unfreed(std::vector<Extent>& blocks) const;

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

  /// Runs that a push has made, in the order in which it has made them. A run moves from one list
  /// to another without memory.
  using Made = std::list<StoredRun>;

  // Of one push.
  bool flushes_ = true;
  const RangeTombstones* pushed_down_ = nullptr;  ///< ranges for which nothing shall wait; or null
  std::uint64_t down_end_bytes_ = 0;              ///< of made_bytes_: the bound of push_down()
  ExtentBalance balance_;
  std::vector<LargeRef> made_large_;  ///< values that have become large
  Made unwritten_;
  std::size_t unwritten_bytes_ = 0;
  Made spilled_;  ///< they are written, or are being
  Made in_vain_;  ///< they were written, and the push has no use for them any more
  std::unordered_map<const TreeRun*, Made::iterator> made_;  ///< unwritten and spilled ones
  UsedSpace used_up_;
  std::vector<StoredNode> cut_off_;

  bool has_left_ = false;
  std::uint64_t made_bytes_ = 0;
  Made unfreed_;  ///< of any push: their blocks are to be free
};

}  // namespace dgfs::delta
