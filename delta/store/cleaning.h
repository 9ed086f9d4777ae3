// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cleaning: makes the files of a store shorter after the store has lost much data. A checkpoint
// moves the blocks and values at the ends of the files to free places before. Once the checkpoint
// is durable, the ends are cut off.
#pragma once

#include <cstdint>

#include "delta/store/cleaning_pace.h"
#include "delta/store/filter/filter_blocks.h"
#include "delta/store/live_tree.h"
#include "delta/store/tree/tree_cleaner.h"

namespace dgfs::delta {

/// For one thread at a time.
class Cleaning {
 public:
  /// All must outlive it.
  Cleaning(TreeFiles& files, TableStack& tables, FilterBlocks& filter, SpaceReserve& reserve,
           LiveTree& tree, const StoreOptions& options)
      : files_(files),
        tables_(tables),
        filter_(filter),
        reserve_(reserve),
        tree_(tree),
        options_(options) {}

  /// Called in a checkpoint, when its tree and filter have been written. Neither is at risk: the
  /// cleaned tree replaces that tree only after the moved blocks, and the nodes above them, have
  /// been written, too. If cleaning fails, nothing has changed, and the checkpoint goes on.
  void clean();

  /// Space is needed: the next clean() is not put off, and cleans even if little is free.
  void make_urgent() { is_urgent_ = true; }
  void end_urgency() { is_urgent_ = false; }
  /// Cleaning again is not worth it if `end_bytes` does not fall and `narrowed` does not rise.
  struct State {
    std::uint64_t end_bytes = 0;  ///< of the files
    unsigned narrowed = 0;        ///< how often the length to be cleaned at once has been halved
  };
  [[nodiscard]] State state() const { return {files_.end_bytes(), pace_.narrowed()}; }

  /// Space that no tree uses, and that could not be given back yet.
  [[nodiscard]] const UsedSpace& left() const { return left_; }

 private:
  [[nodiscard]] TreeCleaner::Ends close_sparse_ends();
  [[nodiscard]] TreeCleaner::Ends close_ends();
  void move_ends(const TreeCleaner::Ends& ends);
  [[nodiscard]] bool try_to_move(TreeCleaner& cleaner);
  [[nodiscard]] bool give_back_left();
  [[nodiscard]] std::uint64_t window_bytes() const {
    return pace_.window_bytes(options_.dirty_bytes / 2);
  }

  TreeFiles& files_;
  TableStack& tables_;
  FilterBlocks& filter_;
  SpaceReserve& reserve_;
  LiveTree& tree_;
  const StoreOptions options_;
  CleaningPace pace_;
  bool is_urgent_ = false;
  UsedSpace left_;  ///< of unfinished trees; there was no memory to give it back
};

}  // namespace dgfs::delta
