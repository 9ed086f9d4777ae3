// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Maintenance: moves what was written into the tree, and makes checkpoints: the tree that they
// have is durable, and the log is not needed before them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "delta/store/cleaning.h"
#include "delta/store/commit_log.h"
#include "delta/store/dead_ranges.h"
#include "delta/store/failure.h"
#include "delta/store/filter/filter_blocks.h"
#include "delta/store/live_tree.h"
#include "delta/store/log/superblock.h"
#include "delta/store/resting.h"
#include "delta/store/space_blocks.h"
#include "delta/store/space_reserve.h"

namespace dgfs::delta {

/// Thread-safe: one call at a time does its work, others wait.
class Maintenance {
 public:
  /// All must outlive it.
  struct Parts {
    TreeFiles& files;
    TableStack& tables;
    FilterBlocks& filter;
    SpaceBlocks& space;
    SpaceReserve& reserve;
    CommitLog& log;
    DeadRanges& dead;
    Failure& failure;
  };
  /// @param superblocks  the file of them; must outlive it
  /// @param superblock   the newest one in it
  Maintenance(const Parts& parts, storage::File& superblocks, const Superblock& superblock,
              const StoreOptions& options);

  /// Of a store that has been opened: finds the space that is in use, and makes durable what the
  /// log has. Once, before all other calls. Errors: kIo, kCorrupt, kNoSpace, kLimit.
  [[nodiscard]] Status recover();

  // Errors of all that follows: those of Failure::check(), kIo, kNoSpace, kCorrupt, kLimit (no
  // memory for it; all goes on as before then).

  /// Moves all tables into the tree.
  [[nodiscard]] Status move_tables();
  /// The same, unless at most `bytes` wait by the time that others have done their work.
  [[nodiscard]] Status move_tables_above(std::uint64_t bytes);
  /// What was applied before is in a durable tree, and the log is empty.
  [[nodiscard]] Status make_checkpoint();

  /// The same, and its superblock says that nothing is logged behind: the last call, if it
  /// succeeds.
  [[nodiscard]] Status make_last_checkpoint();

  /// A batch was refused for want of space: frees what can be freed. Where that does not do, free
  /// space that lies in pieces becomes one at the ends of the files, unless somebody has a view of
  /// what would be moved: it would be there twice. It takes 16 checkpoints at most, as long as the
  /// files become shorter, or less of them will be cleaned at a time. Where not, it is not tried
  /// again before something has changed.
  [[nodiscard]] Status make_space();

  /// A piece of what is to be done for a store that nobody writes to, one checkpoint at most.
  /// Returns whether there may be more, also if a batch was applied since the last call: nothing is
  /// done then.
  [[nodiscard]] Result<bool> rest();

  /// Tells the budget what tables, unbound values, filter and maps hold.
  void note_memory();

  /// Reads a stage of the filter that opening has not. False: none is left to be read, or there is
  /// no memory for it.
  [[nodiscard]] bool load_filter_stage();

  /// What it has done. A value.
  struct Counts {
    std::uint64_t checkpoints = 0;
    std::uint64_t block_bytes = 0;    ///< nodes and runs, written by the last checkpoint or before
    std::uint64_t waiting_bytes = 0;  ///< that the newest tree has no use for, but the last one may
    /// On the disk: free by the last checkpoint, but for a view that somebody had of it when a call
    /// of maintenance ended last.
    std::uint64_t held_bytes = 0;
  };
  /// Does not wait.
  [[nodiscard]] Counts counts() const;

 private:
  class End;

  /// Makes a call with the lock. Where it lacks memory all is as it was, but for tables that have
  /// got into the tree.
  template <class Call>
  [[nodiscard]] Status work(Call call);
  [[nodiscard]] std::uint64_t in_tree() const;
  [[nodiscard]] Status find_and_clean_space();
  [[nodiscard]] Status find_space();
  [[nodiscard]] Result<bool> clean_for_space();
  [[nodiscard]] bool is_cleaning_in_vain();

  // What follows is called with lock_ held.
  [[nodiscard]] Status find_used_space();
  [[nodiscard]] Status free_dead(const RangeTombstones& dead);
  void write_space();
  [[nodiscard]] Status move_all();
  void slice_settled();
  [[nodiscard]] Status write_checkpoint();
  /// @param dead  what was noted before it
  [[nodiscard]] Status write_checkpoint(const RangeTombstones& dead);
  [[nodiscard]] Status reopen_log();
  [[nodiscard]] Status renew_tree(const CommitLog::Checkpoint& checkpoint,
                                  const RangeTombstones& dead);
  [[nodiscard]] Status write_superblock_of(const CommitLog::Checkpoint& checkpoint);
  [[nodiscard]] Status write_durably(std::uint64_t offset_bytes, Bytes superblock);
  void note_checkpoint(const CommitLog::Checkpoint& checkpoint);
  [[nodiscard]] Status shorten_files();
  void note_retired();
  [[nodiscard]] Status rest_a_while();
  [[nodiscard]] Resting::State resting_state();

  TreeFiles& files_;
  TableStack& tables_;
  FilterBlocks& filter_;
  SpaceBlocks& space_;
  SpaceReserve& reserve_;
  CommitLog& log_;
  DeadRanges& dead_;
  Failure& failure_;
  const StoreOptions options_;

  std::mutex lock_;  ///< before that of the log; all that follows
  storage::File& superblocks_;
  Superblock superblock_;
  bool is_closing_ = false;  ///< nobody logs any more
  bool is_resting_ = false;  ///< nobody writes, it seems
  /// Made while there is memory for it.
  Error unknown_{ErrorKind::kIo, 7202,
                 "a superblock's write ended nobody knows how, for no memory"};
  LiveTree tree_;
  Cleaning cleaning_;
  Resting resting_;
  std::optional<std::uint64_t> cleaned_in_vain_;  ///< what in_tree_ was then

  mutable std::mutex counts_lock_;  ///< innermost; all that follows
  Counts counts_;
  std::uint64_t in_tree_;  ///< sequence number of the last batch that is in a durable tree
};

}  // namespace dgfs::delta
