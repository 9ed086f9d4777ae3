// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CommitLog: makes what was applied durable, a group at a time. A group is what the tables have
// that is in no group yet; its large values are bound before it is logged.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "delta/store/extent/extent_volume.h"
#include "delta/store/failure.h"
#include "delta/store/log/log.h"
#include "delta/store/table_stack.h"

namespace dgfs::delta {

/// Thread-safe. Calls wait for one that writes, but for those that ask for numbers.
class CommitLog {
 public:
  /// All must outlive it, but for the log.
  /// @param bounds    of what becomes large
  /// @param sequence  of the last batch that the tree has
  CommitLog(std::unique_ptr<Log> log, TableStack& tables, ExtentVolume& values, Failure& failure,
            const LargeBounds& bounds, std::uint64_t sequence);

  /// Puts what the tree has not over it: the groups from `begin` on that are newer. Their large
  /// values are found to be in use, and nothing is written. Once, before all other calls.
  /// Errors: those of Log::replay; kCorrupt (large values overlap).
  [[nodiscard]] Status replay(const LogPosition& begin);
  /// Whether groups before the current segment are needed for all that is newer than `begin`.
  [[nodiscard]] bool is_past(const LogPosition& begin) const;

  /// Makes durable what was applied before. Returns false if there is no room in the segment:
  /// nothing more is logged before a checkpoint. Errors: those of Failure::check(), kIo, kNoSpace,
  /// kLimit (no memory; what was not logged is logged the next time).
  [[nodiscard]] Result<bool> commit() { return commit(tables_.sequence()); }
  /// The same up to a batch, and of what came later as much as there is by then; nothing if that
  /// is durable once it is this call's turn.
  [[nodiscard]] Result<bool> commit(std::uint64_t sequence);

  /// A checkpoint that was begun, of all that had been applied then. While its group has found no
  /// room in the log it keeps all others from that: a writer that had a part of what the checkpoint
  /// has, and more, would be replayed over it. Not copied; ends before the log.
  struct Checkpoint {
    std::uint64_t sequence = 0;
    LogPosition log;                    ///< from where on it is needed
    std::uint64_t value_bytes = 0;      ///< of large values that had been written before
    std::unique_lock<std::mutex> lock;  ///< of the log; held: its group found no room

    [[nodiscard]] bool keeps_writers() const { return lock.owns_lock(); }
  };
  /// Takes and logs the group, and settles all tables. Goes on in the other segment at once, so
  /// that writers go on while the tree is written, unless that is needed still.
  /// @param needed  by the last checkpoint
  /// Errors: those of commit(). If it throws std::bad_alloc, as of kLimit there.
  [[nodiscard]] Result<Checkpoint> begin_checkpoint(const LogPosition& needed);
  /// Its tree is durable. Needs no memory.
  void finish(const Checkpoint& checkpoint);

  /// Gives the large values of settled tables their places: the tree refers to bound values only.
  /// As a rule the log has bound them before. The tables no longer have values that have died.
  /// @param checkpoint  whose tables they are; null: of none
  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status bind_settled(const Checkpoint* checkpoint = nullptr);
  /// Before they are put together: what is large in settled tables is so for tree and log, and is
  /// written once.
  /// @param checkpoint  as of bind_settled()
  void make_settled_large(const Checkpoint* checkpoint = nullptr);

  /// How far it has come. A value.
  struct Progress {
    std::uint64_t durable = 0;        ///< sequence number of the last batch that is
    std::uint64_t used_bytes = 0;     ///< of the segment
    std::uint64_t memory_bytes = 0;   ///< that the groups in it would take where they are replayed
    std::uint64_t written_bytes = 0;  ///< groups, with headers and padding
    std::uint64_t value_bytes = 0;    ///< of large values that were written
    std::uint64_t value_bytes_since_checkpoint = 0;
  };
  /// Does not wait for the log to be written.
  [[nodiscard]] Progress progress() const;

 private:
  // What follows is called with lock_ held.
  [[nodiscard]] Result<bool> log_newest();
  [[nodiscard]] Result<bool> begin(const LogPosition& needed, Checkpoint& begun);
  void merge_taken();
  [[nodiscard]] Result<bool> log_unlogged(std::uint64_t sequence);
  [[nodiscard]] Result<bool> change_segment(const LogPosition& needed, std::uint64_t sequence);
  [[nodiscard]] Status bind(const Run& run);
  void release_promised();

  TableStack& tables_;
  ExtentVolume& values_;
  Failure& failure_;
  const LargeBounds bounds_;

  std::mutex
      lock_;  ///< before that of the tables: the log, what of it waits, and binding of values
  std::unique_ptr<Log> log_;
  TableGroup taken_;  ///< newer than unlogged_: a group that is not merged into it yet
  RunRef unlogged_;   ///< a group that found no room; nothing newer is logged before it
  std::uint64_t unlogged_value_bytes_ = 0;  ///< promised to large values of it

  mutable std::mutex progress_lock_;  ///< innermost; all that follows
  Progress progress_;
  std::uint64_t value_bytes_at_checkpoint_ = 0;
};

}  // namespace dgfs::delta
