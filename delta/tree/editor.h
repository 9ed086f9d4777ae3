// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeEditor: makes of a tree and a run the tree that has both. Nothing of the old one changes.
#pragma once

#include <string>
#include <vector>

#include "delta/parameters.h"
#include "delta/tree/node.h"

namespace dgfs::delta {

/// For one thread. A failed call leaves the tree that it was given as good as it was.
class TreeEditor {
 public:
  /// @param keeps_removals  a lower layer may have the keys that are removed here, so that removals
  ///                        and patches stay what they are down to the basements
  TreeEditor(const BlockSource& source, const StoreParameters& parameters, bool keeps_removals)
      : source_(source), parameters_(parameters), keeps_removals_(keeps_removals) {}

  /// The root of the tree with `run` over it. Moves messages down where a node has more of them
  /// than it may, and splits and merges what has become too large or too small.
  /// Errors: kIo, kCorrupt.
  [[nodiscard]] Result<StoredNode> push(const StoredNode& root, const RunRef& run);

  /// Blocks that the new trees have no use for, since it was asked last. Whoever still has the old
  /// ones may.
  [[nodiscard]] std::vector<Place> take_retired();
  /// Subtrees that were dropped without being read: all blocks below them are retired as well.
  [[nodiscard]] std::vector<StoredNode> take_dropped();

 private:
  using Nodes = std::vector<Slot>;  ///< new nodes, as slots for the one above: low and child

  [[nodiscard]] Result<Nodes> push(const StoredNode& node, const RunRef& run,
                                   const KeyRange& range);
  [[nodiscard]] Status hand_out(const Node& node, const Run& run, const KeyRange& range,
                                std::vector<Slot>& slots);
  [[nodiscard]] Status flush_fragments(const Node& node, const Fragments& fragments,
                                       const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Status flush(unsigned height, const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Status flush_slot(std::size_t at, const KeyRange& range, std::vector<Slot>& slots);
  [[nodiscard]] Status rewrite_basements(std::vector<Slot>& slots);
  [[nodiscard]] Result<std::vector<Slot>> rewritten(const Slot& slot);
  [[nodiscard]] Status merge_children(std::vector<Slot>& slots);
  [[nodiscard]] Result<bool> try_merge(Slot& left, const Slot& right);
  [[nodiscard]] Result<RunRef> taken(std::vector<StoredRun>& runs);
  void clear(unsigned height, Slot& slot);
  template <class T>
  void retire(const std::shared_ptr<const Stored<T>>& part) {
    if (const auto place = part->place()) retired_.push_back(*place);
  }

  BlockSource source_;
  StoreParameters parameters_;
  bool keeps_removals_;
  std::vector<Place> retired_;
  std::vector<StoredNode> dropped_;
};

/// The child of a slot. Errors: those of Stored::load; kCorrupt if its height is wrong.
/// @param height  of the node that has the slot
[[nodiscard]] Result<std::shared_ptr<const Node>> load_child(unsigned height, const Slot& slot,
                                                             const BlockSource& source);

}  // namespace dgfs::delta
