// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Maintenance: moves changes from tables into the tree, and makes checkpoints. A checkpoint makes
// the tree durable, and makes the log before it superfluous.
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

/// Thread-safe: one call at a time works, others wait for it.
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
  /// @param superblocks  their file; must outlive it
  /// @param superblock   the newest one in it
  /// @param identity     of the files of the store
  Maintenance(const Parts& parts, storage::File& superblocks, const Superblock& superblock,
              std::uint64_t identity, const StoreOptions& options);

  /// Call it once for a store that was opened, before all other calls: finds the space in use, and
  /// makes the changes in the log durable. Errors: kIo, kCorrupt, kNoSpace, kLimit.
  [[nodiscard]] Status recover();

  // Errors of all calls that follow: those of Failure::check(), kIo, kNoSpace, kCorrupt, kLimit
  // (out of memory; nothing has changed then, and the store stays usable).

  /// Moves all tables into the tree.
  [[nodiscard]] Status move_tables();
  /// The same, unless at most `bytes` wait when it is this call's turn.
  [[nodiscard]] Status move_tables_above(std::uint64_t bytes);
  /// Writes all batches that were applied before into a durable tree, and empties the log.
  [[nodiscard]] Status make_checkpoint();

  /// The same, with a superblock that says that no group follows in the log. If it succeeds, it is
  /// the last call.
  /// @param now_seconds  since 1970
  /// Returns Superblock::closed_at.
  [[nodiscard]] Result<std::uint64_t> make_last_checkpoint(std::uint64_t now_seconds);

  /// Call it after make_last_checkpoint(), when no view of an older tree is left whose space is
  /// wanted: gives back all space that the tree does not need, and marks the superblocks. Then the
  /// log can go.
  /// @param identity     of the files without the log
  /// @param now_seconds  since 1970
  /// Returns Superblock::closed_at.
  [[nodiscard]] Result<std::uint64_t> make_layer(const SealedMark& mark, std::uint64_t identity,
                                                 std::uint64_t now_seconds);

  /// Call it after a batch was refused for lack of space: frees what can be freed. If that is not
  /// enough, it joins free pieces by cleaning the ends of the files, unless a view needs the data
  /// there, which would then exist twice. It makes at most 16 checkpoints, as long as the files get
  /// shorter or cleaning has more to try at a smaller length. After a failure it tries again only
  /// when something has changed.
  [[nodiscard]] Status make_space();

  /// Does one piece of the work for an idle store, at most one checkpoint. Returns whether there
  /// may be more. If a batch was applied since the last call, it does nothing and returns true.
  [[nodiscard]] Result<bool> rest();

  /// Tells the budget how much memory tables, unbound values, filter and maps hold.
  void note_memory();

  /// Reads one more stage of the filter, of those that opening did not read. False: none is left,
  /// or there is no memory for it.
  [[nodiscard]] bool load_filter_stage();

  /// What maintenance has done. A value.
  struct Counts {
    std::uint64_t checkpoints = 0;
    std::uint64_t block_bytes = 0;  ///< nodes and runs, up to the last checkpoint
    /// Not used by the newest tree, but maybe by the last checkpoint.
    std::uint64_t waiting_bytes = 0;
    /// Space on disk that the last checkpoint does not use, but that a view kept when the last call
    /// of maintenance ended.
    std::uint64_t held_bytes = 0;
    std::uint64_t filter_bytes = 0;  ///< of the filter on disk
  };
  /// Does not wait.
  [[nodiscard]] Counts counts() const;

 private:
  class End;

  /// Makes a call with the lock. If it runs out of memory, nothing has changed, except that some
  /// tables are in the tree.
  template <class Call>
  [[nodiscard]] Status work(Call call);
  [[nodiscard]] std::uint64_t closed_after(std::uint64_t now_seconds) const;
  [[nodiscard]] std::uint64_t in_tree() const;
  [[nodiscard]] Status find_and_clean_space();
  [[nodiscard]] Status find_space();
  [[nodiscard]] Result<bool> clean_for_space();
  [[nodiscard]] bool is_cleaning_in_vain();

  // The following are called with lock_ held.
  [[nodiscard]] Status find_used_space();
  [[nodiscard]] Status free_dead(const RangeTombstones& dead);
  void write_space();
  [[nodiscard]] Status move_all();
  void slice_settled();
  [[nodiscard]] Status write_checkpoint();
  /// @param dead  ranges that were noted before the checkpoint
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

  std::mutex lock_;  ///< before that of the log; guards all that follows
  storage::File& superblocks_;
  Superblock superblock_;
  const std::uint64_t identity_;
  bool is_closing_ = false;  ///< the log takes no more groups
  bool is_resting_ = false;  ///< no batch came for some time
  /// Made while there is memory for it.
  Error unknown_{ErrorKind::kIo, 7202,
                 "the result of a superblock write is unknown, because memory ran out"};
  LiveTree tree_;
  Cleaning cleaning_;
  Resting resting_;
  std::optional<std::uint64_t> cleaned_in_vain_;  ///< value of in_tree_ when cleaning last failed

  mutable std::mutex counts_lock_;  ///< innermost; guards all that follows
  Counts counts_;
  std::uint64_t in_tree_;  ///< sequence number of the last batch in a durable tree
};

}  // namespace dgfs::delta
