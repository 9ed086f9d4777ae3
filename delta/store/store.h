// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Store: an ordered, durable dictionary that is made for writing. Writers touch the group that is
// to be logged and a table in memory, nothing else; maintenance moves tables into a Bε-tree and
// makes checkpoints of it (docs/STORE.md).
//
//   DIR/store    superblocks       DIR/log.0, DIR/log.1   groups
//   DIR/blocks   nodes and runs    DIR/extents            large values
//   DIR/lock     locked while one is made
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "delta/store/commit_log.h"
#include "delta/store/failure.h"
#include "delta/store/intake.h"
#include "delta/store/maintenance.h"
#include "delta/store/pacer.h"
#include "delta/store/run/batch.h"
#include "delta/store/snapshot/holders.h"
#include "delta/store/snapshot/snapshot.h"
#include "delta/store/space_reserve.h"
#include "delta/store/store_files.h"
#include "delta/store/store_options.h"
#include "delta/store/table_stack.h"
#include "delta/store/tree_files.h"
#include "delta/store/worker.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Counts since it was opened.
struct StoreCounters {
  std::uint64_t log_bytes = 0;    ///< groups, with headers and padding
  std::uint64_t block_bytes = 0;  ///< nodes and runs
  std::uint64_t value_bytes = 0;  ///< large values
  std::uint64_t moved_bytes = 0;  ///< of both, moved so that a file gets shorter
  std::uint64_t checkpoints = 0;
  std::uint64_t tables = 0;  ///< frozen
  // As of now.
  std::uint64_t used_bytes = 0;  ///< of the files of blocks and of large values, with padding
  std::uint64_t held_bytes =
      0;                      ///< of those, free but for snapshots and cursors: Maintenance::Counts
  std::uint64_t holders = 0;  ///< who have snapshots; oldest_snapshot() has a name and an age
};

/// Thread-safe. A store is open once, in whatever process, or for reading alone any number of
/// times. After a failed sync, or a failed write of a superblock, every call that writes fails with
/// the same error until the store is opened again: what the disk holds is not known. So do all
/// calls after one that writes has thrown std::bad_alloc: what the memory holds is not known.
/// snapshot() and cursors throw it again then; where they themselves lack memory, the store goes
/// on. Maintenance that lacks memory is given up, as a rule, and throws nothing.
class Store {
 public:
  /// For reading alone it writes nothing: what of the log the tree has not is in memory, and all
  /// calls that write are refused with kPermission. Errors: kNotFound (no store, and none is to be
  /// made), kBusy (it is open already, unless all read alone, or being made), kIo, kNoSpace,
  /// kCorrupt, kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(storage::Env& env,
                                                           const std::string& directory,
                                                           const StoreOptions& options);

  /// Starts the threads that StoreOptions::in_background asks for, if they have not been started:
  /// opening starts none, as the process may have to fork after it. Until then the store works as
  /// one without them. No other call may be under way. Errors: kLimit (no thread to be had).
  [[nodiscard]] Status start();

  /// All of a batch or nothing; others see all of it or nothing. Durable after sync(), or whenever
  /// the log is written. Errors: kLimit (a key or a value too long, a batch too large for a
  /// segment of the log), kNoSpace (the disk has no space for it, unless it does nothing but
  /// remove); those of sync() and maintain().
  [[nodiscard]] Status apply(const Batch& batch);
  /// What was applied before is durable. Errors: kIo, kNoSpace.
  [[nodiscard]] Status sync();

  /// nullopt: there is no such key. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const;
  /// What the store says of a key where something may lie below it: a value, that there is none, or
  /// a patch, which is empty if it says nothing. Errors: those of get().
  [[nodiscard]] Result<Message> find(std::string_view key) const;
  /// All as it is now, for many lookups and cursors. Nothing is frozen and nobody waits: O(number
  /// of tables that wait for the tree). Throws std::bad_alloc, also if the store is torn.
  /// @param holder  a name to tell of, if somebody asks what keeps space
  [[nodiscard]] Snapshot snapshot(std::string holder) const;
  /// The holder of the oldest snapshot; none: there is no snapshot.
  [[nodiscard]] std::optional<SnapshotHolders::Holder> oldest_snapshot() const {
    return holders_.oldest();
  }
  /// Shows the store as it is now. The cursor keeps that state, and no holder is listed for it.
  /// @param bounds  of the keys that it sees
  [[nodiscard]] Cursor cursor(KeyRange bounds = {"", std::nullopt}) const;
  /// The same of what the store says over whatever may lie below it.
  [[nodiscard]] MessageCursor message_cursor(KeyRange bounds = {"", std::nullopt}) const;

  /// Moves waiting tables into the tree. Errors: kIo, kNoSpace, kCorrupt, kLimit (no memory for
  /// it); the store says what it said before then, and goes on.
  [[nodiscard]] Status maintain();
  /// What was applied before is in a durable tree, and the log is empty. Errors: kIo, and those of
  /// maintain().
  [[nodiscard]] Status checkpoint();

  /// A checkpoint, after which nothing but reading is possible: a store that was closed is opened
  /// again without looking for anything in its log. No other call may be under way. Errors: those
  /// of checkpoint(); the disk then holds what it would hold after a crash.
  [[nodiscard]] Status close();

  [[nodiscard]] StoreCounters counters() const;

 private:
  Store(storage::Env& env, StoreFiles files, const StoreOptions& options);

  [[nodiscard]] Status add(const Batch& batch);
  [[nodiscard]] Result<bool> take_in(const Batch& batch, const BatchSize& size);
  [[nodiscard]] Status admit(const Batch& batch, const BatchSize& size);
  [[nodiscard]] Status make_room(const BatchSize& batch);
  [[nodiscard]] Status make_room_below(bool is_checkpoint_due, std::size_t waiting_bytes);
  [[nodiscard]] bool is_checkpoint_due() const;
  [[nodiscard]] Status commit();
  [[nodiscard]] Status tend();
  void join_tables_soon();
  void pace(const BatchSize& batch);
  [[nodiscard]] bool only_reads() const { return options_.access == StoreAccess::kReadOnly; }
  [[nodiscard]] Pacer::Duration now() const { return Pacer::Duration(env_.monotonic_ns()); }

  // Order of locks: that of maintenance_, that of log_, that of tables_, and one of those that call
  // themselves innermost. No I/O under the last two.
  storage::Env& env_;  ///< its clock
  const StoreOptions options_;
  Failure failure_;
  std::unique_ptr<storage::File> superblocks_;  ///< holds the lock of the store: closed last
  TreeFiles files_;                             ///< outlive all values
  TableStack tables_;
  CommitLog log_;
  SpaceReserve reserve_;
  Maintenance maintenance_;

  mutable SnapshotHolders holders_;

  std::mutex pace_lock_;  ///< innermost; what follows
  Pacer pacer_;

  // Last: they end before all that they use.
  std::unique_ptr<Worker> tending_;  ///< null: writers maintain
  std::unique_ptr<Worker> commits_;  ///< null: nobody syncs unasked
};

}  // namespace dgfs::delta
