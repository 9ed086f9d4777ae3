// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CommitLog: makes batches durable, a group at a time. A group holds the changes in the tables that
// are in no earlier group; its large values are bound before it is logged.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "delta/store/extent/extent_volume.h"
#include "delta/store/failure.h"
#include "delta/store/log/log.h"
#include "delta/store/table_stack.h"

namespace dgfs::delta {

/// Thread-safe. A call waits for the one that writes, unless it only asks for numbers.
class CommitLog {
 public:
  /// All arguments but the log must outlive it.
  /// @param log       null: the store is a layer, and nothing is ever logged
  /// @param bounds    which values are large
  /// @param sequence  of the last batch that is in the tree
  CommitLog(std::unique_ptr<Log> log, TableStack& tables, ExtentVolume& values, Failure& failure,
            const LargeBounds& bounds, std::uint64_t sequence);

  /// From now on every call that would log waits until release(). Call it before all other calls
  /// but replay().
  void hold() { is_held_ = true; }
  /// Lets calls go on, also those that are waiting.
  void release();
  [[nodiscard]] bool is_held() const { return is_held_; }
  /// Waits until the log is not held.
  void wait_until_released();

  /// Reads the groups from `begin` on that are newer than the tree, and puts them over it. Marks
  /// their large values as in use, and writes nothing. Call it once, before all other calls.
  /// Errors: those of Log::replay; kCorrupt (large values overlap).
  [[nodiscard]] Status replay(const LogPosition& begin);
  /// Whether changes newer than `begin` need groups from before the current segment.
  [[nodiscard]] bool is_past(const LogPosition& begin) const;

  /// Makes durable what was applied before. Returns false if the segment has no room: then nothing
  /// more is logged before a checkpoint. Errors: those of Failure::check(), kIo, kNoSpace, kLimit
  /// (out of memory; the next call logs what this one did not).
  [[nodiscard]] Result<bool> commit() { return commit(tables_.sequence()); }
  /// The same up to a batch, with all later changes that are there when it is this call's turn.
  /// Does nothing if the batch is durable by then.
  [[nodiscard]] Result<bool> commit(std::uint64_t sequence);

  /// A checkpoint that was begun, of all that had been applied then. If its group found no room in
  /// the log, it keeps other calls from logging: another group would hold changes of the checkpoint
  /// together with newer ones, and would be replayed over the checkpoint. Not copied; ends before
  /// the log.
  struct Checkpoint {
    std::uint64_t sequence = 0;
    LogPosition log;                    ///< the log is needed from here on
    std::uint64_t value_bytes = 0;      ///< of large values that were written before
    std::unique_lock<std::mutex> lock;  ///< of the log; held if the group found no room

    [[nodiscard]] bool keeps_writers() const { return lock.owns_lock(); }
  };
  /// Takes and logs the group, and settles all tables. Then changes to the other segment, unless
  /// that one is still needed, so that writers go on while the tree is written.
  /// @param needed  by the last checkpoint
  /// Errors: those of commit(). std::bad_alloc has the same effect as kLimit there.
  [[nodiscard]] Result<Checkpoint> begin_checkpoint(const LogPosition& needed);
  /// The tree of the checkpoint is durable. Needs no memory.
  void finish(const Checkpoint& checkpoint);

  /// Binds the large values of settled tables, since the tree refers to bound values only; usually
  /// the log has bound them before. Dead values are dropped from the tables.
  /// @param checkpoint  the one in progress; null: none
  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status bind_settled(const Checkpoint* checkpoint = nullptr);
  /// Call it before settled tables are merged: makes values in them large, so that log and tree
  /// share each large value and it is written once.
  /// @param checkpoint  as of bind_settled()
  void make_settled_large(const Checkpoint* checkpoint = nullptr);

  /// How far the log has come. A value.
  struct Progress {
    std::uint64_t durable = 0;        ///< sequence number of the last durable batch
    std::uint64_t used_bytes = 0;     ///< of the segment
    std::uint64_t memory_bytes = 0;   ///< that the groups in it would take when replayed
    std::uint64_t written_bytes = 0;  ///< groups, with headers and padding
    std::uint64_t value_bytes = 0;    ///< of large values, written
    std::uint64_t value_bytes_since_checkpoint = 0;
  };
  /// Does not wait while the log is written.
  [[nodiscard]] Progress progress() const;

 private:
  // The following are called with lock_ held.
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

  std::mutex lock_;  ///< before that of the tables; guards the log, what waits for it, and binding
  std::unique_ptr<Log> log_;
  TableGroup taken_;  ///< a group newer than unlogged_, not merged into it yet
  RunRef unlogged_;   ///< a group that found no room; nothing newer is logged before it
  std::uint64_t unlogged_value_bytes_ = 0;  ///< promised to its large values

  std::atomic<bool> is_held_ = false;
  std::mutex hold_lock_;  ///< innermost, as progress_lock_
  std::condition_variable released_;

  mutable std::mutex progress_lock_;  ///< innermost; guards all that follows
  Progress progress_;
  std::uint64_t value_bytes_at_checkpoint_ = 0;
};

}  // namespace dgfs::delta
