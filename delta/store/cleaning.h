// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cleaning: how the files of a store get shorter when it has lost much. A checkpoint moves what
// lives at their ends to free places before, and when it is durable the ends are cut.
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

  /// In a checkpoint whose tree and filter have been written: nothing of that is in danger, as what
  /// is moved, and the nodes above it, have been written as well when the cleaned tree takes its
  /// place. Where that does not work out all is as it was, and the checkpoint goes on.
  void clean();

  /// Space is wanted: the next one is not put off, and cleans however little is free.
  void make_urgent() { is_urgent_ = true; }
  void end_urgency() { is_urgent_ = false; }
  /// What shows whether it is worth doing again.
  struct State {
    std::uint64_t end_bytes = 0;  ///< of the files
    unsigned narrowed = 0;        ///< how many times what is cleaned at a time has been halved
  };
  [[nodiscard]] State state() const { return {files_.end_bytes(), pace_.narrowed()}; }

  /// Of the files, and of no tree: it could not be given back yet.
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
  UsedSpace left_;  ///< of trees that were not to be: free, but that there was no memory to note it
};

}  // namespace dgfs::delta
