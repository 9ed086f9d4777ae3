// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Store: an ordered, durable dictionary that is optimised for writing. A writer changes only the
// current log group and a table in memory. Maintenance moves tables into a Bε-tree and makes
// checkpoints of the tree (docs/STORE.md).
//
//   DIR/store    superblocks       DIR/log.0, DIR/log.1   groups
//   DIR/blocks   nodes and runs    DIR/extents            large values
//   DIR/lock     locked while a store is made
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/dead_ranges.h"
#include "delta/store/failure.h"
#include "delta/store/intake.h"
#include "delta/store/maintenance.h"
#include "delta/store/pacer.h"
#include "delta/store/run/batch.h"
#include "delta/store/snapshot/holders.h"
#include "delta/store/snapshot/snapshot.h"
#include "delta/store/space_blocks.h"
#include "delta/store/space_reserve.h"
#include "delta/store/store_files.h"
#include "delta/store/store_options.h"
#include "delta/store/table_stack.h"
#include "delta/store/tree_files.h"
#include "delta/store/waiting_times.h"
#include "delta/store/worker.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Counts since the store was opened.
struct StoreCounters {
  std::uint64_t log_bytes = 0;    ///< groups, with headers and padding
  std::uint64_t block_bytes = 0;  ///< nodes and runs
  std::uint64_t value_bytes = 0;  ///< large values
  std::uint64_t moved_bytes = 0;  ///< of both, moved to make a file shorter
  std::uint64_t checkpoints = 0;
  std::uint64_t tables = 0;  ///< frozen
  // The current values.
  /// In use in the files of blocks and of large values, with padding.
  std::uint64_t used_bytes = 0;
  /// Of used_bytes, kept by snapshots and cursors: Maintenance::Counts.
  std::uint64_t held_bytes = 0;
  std::uint64_t holders = 0;  ///< of snapshots; oldest_snapshot() names the oldest
  /// Batches that only the log had when the store was opened, because the store had not been
  /// closed.
  std::uint64_t recovered = 0;
  // Nanoseconds that all writers together have waited: because a group of the log was full, because
  // maintenance was behind, because large values needed space.
  std::uint64_t log_wait_ns = 0;
  std::uint64_t tree_wait_ns = 0;
  std::uint64_t space_wait_ns = 0;
};

/// How the space of the disk is used. No byte is counted in two of the first four. A value.
struct StoreSpace {
  /// Blocks and large values that the newest tree or the log needs, both segments of the log, and
  /// superblocks. Data that is only in tables takes no space yet.
  std::uint64_t used_bytes = 0;
  /// Space for ordinary batches, whatever the length of their values: free on the disk or below the
  /// cap, and whole free pages in the files.
  std::uint64_t free_bytes = 0;
  /// Space in reserve, for changes that wait for a checkpoint and for allowances, and free
  /// stretches of less than a page. If the disk has less than the reserve, all that it has.
  std::uint64_t reserved_bytes = 0;
  /// Not needed any more, and free after the next checkpoint, or when cursors and snapshots end.
  std::uint64_t pending_bytes = 0;
  std::uint64_t max_bytes = 0;   ///< StoreOptions::max_bytes
  std::uint64_t held_bytes = 0;  ///< of pending_bytes, kept by snapshots and cursors
};

/// Thread-safe. One process at a time may have a store open for writing; any number may have it
/// open for reading only. After a failed sync, or a failed write of a superblock, the content of
/// the disk is unknown: every call that writes fails with the same error until the store is opened
/// again. If a call runs out of memory before it has changed anything, it is refused with kLimit.
/// If the table has taken a part of a batch by then, apply() throws std::bad_alloc; the content of
/// memory is unknown then, and all later calls fail: snapshot() and cursors throw std::bad_alloc
/// again. If snapshot() or a cursor itself runs out of memory, it throws std::bad_alloc too, and
/// the store stays usable.
class Store {
 public:
  /// Opens a store. For reading only it writes nothing: the part of the log that is not in the tree
  /// is kept in memory, and all calls that write are refused with kPermission.
  /// Cost, if the store was closed: reads of both superblocks, of the first pages of both log
  /// segments, and of five blocks: the root, two maps of free space, the table of the filter and
  /// its last stage. Without threads (StoreOptions::in_background) it also reads the full stages.
  /// If the last checkpoint has no maps, it reads the nodes of the tree; if the store was not
  /// closed, it reads the log.
  /// Errors: kNotFound (no store, and `options` does not ask to make one), kBusy (already open,
  /// unless all open it for reading only, or being made), kChanged (a copy that was taken while a
  /// process had the store open for writing), kIo, kNoSpace, kCorrupt, kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(storage::Env& env,
                                                           const std::string& directory,
                                                           const StoreOptions& options);

  /// A log that is still held loses what it would have written.
  ~Store() {
    is_ending_ = true;
    if (!log_.is_held()) return;
    try {
      fail(unused_);
    } catch (const std::bad_alloc&) {  // it is noted nevertheless
    }
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// How long a call that applies a batch may wait.
  enum class Patience : std::uint8_t {
    kFresh,   ///< waits for everything that there is to wait for
    kWaited,  ///< the caller has waited: waits only for what the call cannot do without
  };

  // A seal puts a fresh store over one that is written to. Batches of the fresh one must not be
  // durable before all that the other one has.

  /// From now on nothing is logged, and no checkpoint is made: calls that need either wait until
  /// release_log(), syncs also of batches that are durable elsewhere. Batches are taken in as
  /// always. Call it before start() and all other calls.
  void hold_log() { log_.hold(); }
  void release_log() { log_.release(); }
  /// From now on every call that writes fails with this error, or with an earlier one; calls that
  /// wait for release_log() do, too.
  void fail(const Error& error) {
    static_cast<void>(failure_.note(error));
    log_.release();
  }
  /// Changes StoreOptions::max_bytes. Not for a store without a cap.
  void set_max_bytes(std::uint64_t bytes) { files_.cap.set_bytes_max(bytes); }

  /// Starts the threads that StoreOptions::in_background asks for, unless they run already. Opening
  /// starts none, because the process may have to fork afterwards. Until then the store works as
  /// one without threads, and the full stages of its filter let every key through. No other call
  /// may be under way. Errors: kLimit (no thread available).
  [[nodiscard]] Status start();

  /// Of the last batch that was applied, here or in a store below.
  [[nodiscard]] std::uint64_t sequence() const { return tables_.sequence(); }
  [[nodiscard]] const StoreParameters& parameters() const { return options_.parameters; }

  /// The most memory that a batch may take in a table and in the log, without its large values.
  [[nodiscard]] std::uint64_t batch_bytes_max() const {
    return options_.parameters.segment_bytes / kGroupShare;
  }

  /// Applies a batch atomically: all of it or nothing, also for readers. Returns its sequence
  /// number, for sync(). The batch is durable after that sync(), or once the log is written; with a
  /// StoreOptions::commit_interval of 0, before apply() returns.
  ///
  /// It refuses a batch at once if there is no space. Otherwise it may wait, as wait_for_room()
  /// does: up to 20 ms, to slow writers down; for the log and the thread that writes it, if a full
  /// group must be logged first; for maintenance, if as many tables wait as may; for a checkpoint,
  /// if the log is full; for the disk, if it must allocate space for large values. In a store
  /// without threads it also does maintenance and checkpoints when they are due. So a caller that
  /// holds a lock of its own uses try_apply() instead.
  ///
  /// Errors: kLimit (a key or a value is too long, the batch is too large for a segment of the log,
  /// no memory for it), kNoSpace (the disk has no space for its class, BatchClass; see
  /// make_space()); those of sync() and maintain(). After an error the batch is not applied, except
  /// if the commit interval is 0 and the sync() after the batch failed: then it may be.
  [[nodiscard]] Result<std::uint64_t> apply(const Batch& batch);
  /// Like apply(), but waits only for short locks and makes no I/O call; so the batch is not
  /// durable on return, even with a commit interval of 0. Errors: kBusy (it would have to wait; the
  /// threads that make room are notified, and wait_for_room() waits); those of apply() without
  /// those of sync() and maintain().
  /// @param patience  kWaited after wait_for_room(). On a nearly full disk a checkpoint may be due
  ///                  again right after one was made: with kFresh the call would return kBusy for
  ///                  ever.
  [[nodiscard]] Result<std::uint64_t> try_apply(const Batch& batch,
                                                Patience patience = Patience::kFresh);
  /// Waits until there is room for a batch, and makes room itself if no thread does; other batches
  /// may take that room. The caller holds no lock of its own. Errors: those of sync() and
  /// maintain().
  [[nodiscard]] Status wait_for_room(const Batch& batch);
  /// Call it after a batch was refused with kNoSpace; then the batch is worth another try. Makes as
  /// much space as it can: makes a checkpoint, and cleans the ends of the files. A store with
  /// threads does so by itself; in a store without threads the owner calls it. If the last call did
  /// not help and nothing has changed since, it does little. Errors: those of checkpoint().
  [[nodiscard]] Status make_space();

  /// Makes all batches durable that were applied before. Errors: kIo, kNoSpace.
  [[nodiscard]] Status sync();
  /// Makes batches durable up to the given one. If that one is durable, returns at once, whatever
  /// other threads do.
  /// @param sequence  of a batch that was applied
  /// Errors: kInvalidArgument (no such batch was applied); those of sync().
  [[nodiscard]] Status sync(std::uint64_t sequence);
  /// Whether StoreOptions::commit_interval is 0: a batch must be synced before its writer is told
  /// that it succeeded. apply() does so itself; after try_apply() the caller calls sync().
  [[nodiscard]] bool is_synchronous() const { return options_.commit_interval.count() == 0; }
  /// Sequence number of the newest batch that is durable, like all batches before it. Does not
  /// wait.
  [[nodiscard]] std::uint64_t durable() const { return log_.progress().durable; }

  /// nullopt: there is no such key. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const;
  /// Reads part of a value, or less where the value ends. Of a large value it reads only the parts
  /// that hold the bytes (value_part_bytes()); a value without patches over it is shared, not
  /// copied. nullopt: there is no such key. Errors: those of get().
  [[nodiscard]] Result<std::optional<ValueSlice>> read(
      std::string_view key, std::uint64_t begin_bytes = 0,
      std::uint64_t length_bytes = UINT64_MAX) const;
  /// The message of the store for a key, for a caller that has a layer below: a value, a removal,
  /// or a patch, which is empty if the store says nothing about the key. Errors: those of get().
  [[nodiscard]] Result<Message> find(std::string_view key) const;
  /// The present state of the store, for many lookups and cursors. Freezes nothing and delays no
  /// thread. Cost: O(number of tables that wait for the tree). Throws std::bad_alloc, also if the
  /// store is torn.
  /// @param holder  the name that oldest_snapshot() returns, to tell who keeps space
  [[nodiscard]] Snapshot snapshot(std::string holder) const;
  /// The holder of the oldest snapshot; none if there is no snapshot.
  [[nodiscard]] std::optional<SnapshotHolders::Holder> oldest_snapshot() const {
    return holders_.oldest();
  }
  /// False: no write to the store has ever changed a key of the object, so a reader can take the
  /// object from the layers below as it is. True: a write may have changed one; that is wrong for
  /// one in some hundreds of unchanged objects. Also true if all changes were removed again, and
  /// for the store's born object and later ones. No I/O, and no waiting for I/O.
  [[nodiscard]] bool may_have(std::uint8_t object_class, std::uint64_t object) const {
    return filter_.may_have({object_class, object});
  }
  /// A cursor over the present state of the store. It keeps that state, but is not listed as a
  /// holder.
  /// @param bounds  of the keys that it shows
  [[nodiscard]] Cursor cursor(KeyRange bounds = {"", std::nullopt}) const;
  /// The same for messages, to be put over the layers below.
  [[nodiscard]] MessageCursor message_cursor(KeyRange bounds = {"", std::nullopt}) const;

  /// Moves waiting tables into the tree. Errors: kIo, kNoSpace, kCorrupt, kLimit (out of memory).
  /// After an error the store has the same content as before, and stays usable.
  [[nodiscard]] Status maintain();
  /// Writes all batches that were applied before into a durable tree, and empties the log. Errors:
  /// kIo, and those of maintain().
  [[nodiscard]] Status checkpoint();

  /// Does one piece of the work for an idle store: moves waiting tables into the tree, and makes
  /// the files shorter. Returns whether there may be more to do. If a batch was applied since the
  /// last call, it does nothing and returns true. A thread calls it every few seconds. Cost: at
  /// most one checkpoint. Errors: those of checkpoint().
  [[nodiscard]] Result<bool> rest();

  /// Makes a last checkpoint; afterwards only reads are possible. A closed store is opened again
  /// without a search of its log. No other call may be under way. Errors: those of checkpoint();
  /// the disk then holds the same as after a crash.
  [[nodiscard]] Status close();

  /// Makes a closed store a layer: gives back all space that it does not need, and marks it as
  /// sealed. From the next opening on it needs no log (drop_log()), and can only be read. Views
  /// that were taken before close() keep their space for good. Errors: kIo; kInvalidArgument (it is
  /// not closed); the store is then still closed, or sealed already.
  [[nodiscard]] Status make_layer(const SealedMark& mark);

  /// Lets others open a store that will not be written to any more for reading. Errors: those of
  /// storage::File::lock_shared().
  [[nodiscard]] Status share() { return superblocks_->lock_shared(); }

  /// Whether it was a layer when it was opened.
  [[nodiscard]] bool is_sealed() const { return is_sealed_; }
  /// Whether ordinary batches are admitted now: the disk, or the cap, has space for a checkpoint.
  [[nodiscard]] bool takes_changes() const { return reserve_.is_there(); }

  [[nodiscard]] StoreCounters counters() const;
  /// About the bytes that the store takes on the disk once it is a layer; tables that wait for the
  /// tree count as they are in memory.
  [[nodiscard]] std::uint64_t layer_bytes() const;
  /// Cost: asks the system once how much of the disk is free; if the system does not say, uses its
  /// last answer.
  [[nodiscard]] StoreSpace space();

 private:
  Store(storage::Env& env, StoreFiles files, const StoreOptions& options);

  /// Reasons why a batch has to wait. A value.
  struct Room {
    bool is_group_full = false;  ///< with this batch; its large values count, too
    bool is_group_half_full = false;
    bool is_checkpoint_due = false;
    bool is_maintenance_due = false;
    bool are_tables_full = false;  ///< as many wait for the tree as may
    bool has_too_many_tables = false;
    bool is_delay_due = false;
  };

  template <class Call>
  [[nodiscard]] Result<std::uint64_t> whole_or_refused(Call call) const;
  [[nodiscard]] Result<std::optional<std::uint64_t>> add(const Batch& batch, Patience patience);
  [[nodiscard]] Result<std::optional<std::uint64_t>> add_if_room(const Batch& batch,
                                                                 const BatchSize& size,
                                                                 Patience patience);
  [[nodiscard]] Result<std::optional<SpaceReserve::Admission>> admit(const Batch& batch,
                                                                     const BatchSize& size);
  /// @param promised_bytes  to its large values
  [[nodiscard]] Room room_for(const BatchSize& batch, std::uint64_t promised_bytes);
  [[nodiscard]] bool has_to_wait(const Room& room, Patience patience);
  void notify_of(const Room& room);
  [[nodiscard]] Status make_room(const Room& room);
  [[nodiscard]] Status ask_for_space(std::uint64_t value_bytes);
  [[nodiscard]] bool is_checkpoint_due() const;
  [[nodiscard]] bool is_dead_space_due() const;
  [[nodiscard]] std::uint64_t waiting_bytes() const;
  [[nodiscard]] Status start_loading();
  [[nodiscard]] Status start_tending();
  void load_filter();
  [[nodiscard]] Status commit_unasked(Worker& tending);
  [[nodiscard]] Status tend(Worker::Call call);
  [[nodiscard]] Status tend_tables();
  void want_space();
  void join_tables_soon();
  void charge(const BatchSize& batch);
  [[nodiscard]] std::uint64_t now_seconds() const;
  void note_time(std::uint64_t closed_at);
  [[nodiscard]] bool only_reads() const { return options_.access == StoreAccess::kReadOnly; }
  [[nodiscard]] Pacer::Duration now() const { return Pacer::Duration(env_.monotonic_ns()); }

  // Lock order: the locks of maintenance_, log_, tables_ and reserve_, then one innermost lock. No
  // I/O under the last three.
  storage::Env& env_;  ///< for its clock
  /// Made while there is memory for it.
  const Error unused_{ErrorKind::kIo, 7521, "the store did not come into use"};
  const StoreOptions options_;
  const bool is_sealed_;
  Failure failure_;
  const std::vector<storage::File*> own_files_;
  std::unique_ptr<storage::File> superblocks_;  ///< holds the lock of the store: closed last
  TreeFiles files_;                             ///< outlives all values
  PrefixFilter filter_;
  FilterBlocks filter_blocks_;  ///< under the lock of maintenance_
  SpaceBlocks space_blocks_;    ///< under the lock of maintenance_
  TableStack tables_;
  CommitLog log_;
  SpaceReserve reserve_;
  DeadRanges dead_;
  Maintenance maintenance_;

  std::uint64_t recovered_ = 0;  ///< StoreCounters::recovered; set once, by open()
  WaitingTimes waits_;
  std::atomic<bool> is_space_wanted_ = false;
  mutable SnapshotHolders holders_;

  std::mutex pace_lock_;  ///< innermost; guards what follows
  Pacer pacer_;

  std::atomic<bool> is_ending_ = false;

  // Last, so that they end before everything that they use.
  std::unique_ptr<Worker> tending_;  ///< null: writers do the maintenance
  std::unique_ptr<Worker> commits_;  ///< null: syncs happen only on call
};

}  // namespace dgfs::delta
