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

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

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
  std::uint64_t held_bytes = 0;  ///< of those, kept by snapshots and cursors: Maintenance::Counts
  std::uint64_t holders = 0;     ///< who have snapshots; oldest_snapshot() has a name and an age
  /// Batches that the log alone had when it was opened: nobody had closed it.
  std::uint64_t recovered = 0;
  // Of all writers together, in nanoseconds: a group of the log was full, maintenance was behind,
  // large values wanted space.
  std::uint64_t log_wait_ns = 0;
  std::uint64_t tree_wait_ns = 0;
  std::uint64_t space_wait_ns = 0;
};

/// Where the disk stands. No byte is in two of the first four. A value.
struct StoreSpace {
  /// Blocks and large values that the newest tree or the log has use for, both segments of the log,
  /// superblocks. What is in tables alone takes nothing yet.
  std::uint64_t used_bytes = 0;
  /// That ordinary batches can still take: of the disk, or below the cap; and between blocks and
  /// values, pieces of any length.
  std::uint64_t free_bytes = 0;
  /// In reserve, as far as it is there: for changes that wait for a checkpoint, and for allowances.
  /// All that the disk has where not all of it is there.
  std::uint64_t reserved_bytes = 0;
  /// Nobody's, and free after the next checkpoint, or when cursors and snapshots end.
  std::uint64_t pending_bytes = 0;
  std::uint64_t max_bytes = 0;   ///< StoreOptions::max_bytes
  std::uint64_t held_bytes = 0;  ///< of those pending: kept by snapshots and cursors
};

/// Thread-safe. A store is open once, in whatever process, or for reading alone any number of
/// times. After a failed sync, or a failed write of a superblock, every call that writes fails with
/// the same error until the store is opened again: what the disk holds is not known. A call that
/// lacks memory before it has changed anything is refused with kLimit. If the table has taken a
/// part of a batch by then, apply() throws std::bad_alloc. The memory holds an unknown state then,
/// and all calls fail from then on: snapshot() and cursors throw it again. Where snapshot() and
/// cursors lack memory themselves they throw it, too, and the store goes on.
class Store {
 public:
  /// For reading alone it writes nothing: what of the log the tree has not is in memory, and all
  /// calls that write are refused with kPermission.
  /// Cost of one that was closed: reads of both superblocks, of the first pages of both segments of
  /// the log, and of five blocks: the root, two maps of free space, the table of the filter and its
  /// last stage. Without threads (StoreOptions::in_background) it reads the full stages, too. Where
  /// the last checkpoint has no maps it reads the nodes of the tree, and where close() was not
  /// called, the log.
  /// Errors: kNotFound (no store, and none is to be made), kBusy (it is open already, unless all
  /// read alone, or being made), kIo, kNoSpace, kCorrupt, kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(storage::Env& env,
                                                           const std::string& directory,
                                                           const StoreOptions& options);

  ~Store() { is_ending_ = true; }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Of a call that applies a batch.
  enum class Patience : std::uint8_t {
    kFresh,   ///< it waits for whatever there is to wait for
    kWaited,  ///< it has done so: only what it cannot do without keeps it
  };

  /// Starts the threads that StoreOptions::in_background asks for, if they have not been started:
  /// opening starts none, as the process may have to fork after it. Until then the store works as
  /// one without them, and full stages of its filter let all through. No other call may be under
  /// way. Errors: kLimit (no thread to be had).
  [[nodiscard]] Status start();

  /// Memory that a batch may take, at most, in a table and in the log; without its large values.
  [[nodiscard]] std::uint64_t batch_bytes_max() const {
    return options_.parameters.segment_bytes / kGroupShare;
  }

  /// All of a batch or nothing; others see all of it or nothing. Returns its sequence number, for
  /// sync(). Durable then, or whenever the log is written, or before it returns where
  /// StoreOptions::commit_interval is 0.
  ///
  /// It is refused at once where there is no space, and where it is not it may wait, as
  /// wait_for_room() says: for a sleep of 20 ms at most by which writers are slowed down; for the
  /// log, and for whoever writes it, where a full group is to be logged before the batch; for
  /// maintenance, where as many tables wait as may; for a checkpoint, where the log is full; for
  /// the disk, where it is asked for space for large values. In a store without threads further for
  /// maintenance and checkpoints whenever they are due. So it is not for callers that have a lock
  /// of their own: see try_apply().
  ///
  /// Errors: kLimit (a key or a value too long, a batch too large for a segment of the log, no
  /// memory for it), kNoSpace (the disk has no space for its class, BatchClass; see make_space());
  /// those of sync() and maintain(). The batch has not happened then; but where sync() has failed
  /// after it, with a commit interval of 0, it may have.
  [[nodiscard]] Result<std::uint64_t> apply(const Batch& batch);
  /// The same without waiting for anything but short locks, and without any call at the storage;
  /// nor is it durable with a commit interval of 0. Errors: kBusy (it would have to wait: whoever
  /// makes room is told, wait_for_room() waits); those of apply(), but for those of sync() and
  /// maintain().
  /// @param patience  kWaited after wait_for_room(). On a disk that is nearly full a checkpoint may
  ///                  be due again as soon as one is made: a fresh call would say kBusy for ever.
  [[nodiscard]] Result<std::uint64_t> try_apply(const Batch& batch,
                                                Patience patience = Patience::kFresh);
  /// Waits until there is room for a batch, and makes room where nobody else does; others may take
  /// it. With none of the caller's locks. Errors: those of sync() and maintain().
  [[nodiscard]] Status wait_for_room(const Batch& batch);
  /// A batch was refused with kNoSpace: sees to it that there is space, as far as there can be:
  /// makes a checkpoint, and cleans the ends of the files. Then it is worth trying again. Threads
  /// do so by themselves; a store without them leaves it to its owner. Where nothing has changed
  /// since it was of no use it does little. Errors: those of checkpoint().
  [[nodiscard]] Status make_space();

  /// What was applied before is durable. Errors: kIo, kNoSpace.
  [[nodiscard]] Status sync();
  /// The same up to a batch: returns at once, whatever others are doing, where that is durable.
  /// @param sequence  of a batch that was applied
  /// Errors: kInvalidArgument (none was); those of sync().
  [[nodiscard]] Status sync(std::uint64_t sequence);
  /// StoreOptions::commit_interval is 0: a batch that was applied is to be synced before anybody is
  /// told of it. apply() does so; after try_apply() it is the caller's to call sync().
  [[nodiscard]] bool is_synchronous() const { return options_.commit_interval.count() == 0; }
  /// Sequence number of the last batch that is durable, with all before it. Does not wait.
  [[nodiscard]] std::uint64_t durable() const { return log_.progress().durable; }

  /// nullopt: there is no such key. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const;
  /// Bytes of its value from an offset on, as many as are wanted, or fewer where it ends. Of what
  /// is large only the parts that have them are read (value_part_bytes()); a value that nothing has
  /// changed is handed on and not copied. nullopt: there is no such key. Errors: those of get().
  [[nodiscard]] Result<std::optional<ValueSlice>> read(
      std::string_view key, std::uint64_t begin_bytes = 0,
      std::uint64_t length_bytes = UINT64_MAX) const;
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
  /// False: nothing that was ever written to the store changes a key of the object, and what it has
  /// below need not be put under anything. True: something may, as it does but for one in some
  /// hundreds of the others; the store may also have lost all that it had written. Always true of
  /// objects that the store's born object, or one after it, is. No I/O, and no wait for any.
  [[nodiscard]] bool may_have(std::uint8_t object_class, std::uint64_t object) const {
    return filter_.may_have({object_class, object});
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

  /// A piece of what is to be done for a store that nobody writes to: what waits gets into the
  /// tree, and the files get shorter. Returns whether there may be more, also if a batch was
  /// applied since the last call: nothing is done then. A thread calls it every few seconds. Cost:
  /// a checkpoint at most. Errors: those of checkpoint().
  [[nodiscard]] Result<bool> rest();

  /// A checkpoint, after which nothing but reading is possible: a store that was closed is opened
  /// again without looking for anything in its log. No other call may be under way. Errors: those
  /// of checkpoint(); the disk then holds what it would hold after a crash.
  [[nodiscard]] Status close();

  [[nodiscard]] StoreCounters counters() const;
  /// Cost: the system is asked once how much of the disk is free; where it does not say, it is what
  /// it said before.
  [[nodiscard]] StoreSpace space();

 private:
  Store(storage::Env& env, StoreFiles files, const StoreOptions& options);

  /// What a batch has to wait for. A value.
  struct Room {
    bool is_group_full = false;  ///< with the batch; large values may fill one
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
  [[nodiscard]] bool only_reads() const { return options_.access == StoreAccess::kReadOnly; }
  [[nodiscard]] Pacer::Duration now() const { return Pacer::Duration(env_.monotonic_ns()); }

  // Order of locks: that of maintenance_, that of log_, that of tables_, that of reserve_, and one
  // of those that call themselves innermost. No I/O under the last three.
  storage::Env& env_;  ///< its clock
  const StoreOptions options_;
  Failure failure_;
  std::unique_ptr<storage::File> superblocks_;  ///< holds the lock of the store: closed last
  TreeFiles files_;                             ///< outlive all values
  PrefixFilter filter_;
  FilterBlocks filter_blocks_;  ///< lock: that of maintenance_
  SpaceBlocks space_blocks_;    ///< lock: that of maintenance_
  TableStack tables_;
  CommitLog log_;
  SpaceReserve reserve_;
  DeadRanges dead_;
  Maintenance maintenance_;

  std::uint64_t recovered_ = 0;  ///< StoreCounters::recovered; set once, by open()
  WaitingTimes waits_;
  std::atomic<bool> is_space_wanted_ = false;
  mutable SnapshotHolders holders_;

  std::mutex pace_lock_;  ///< innermost; what follows
  Pacer pacer_;

  std::atomic<bool> is_ending_ = false;

  // Last: they end before all that they use.
  std::unique_ptr<Worker> tending_;  ///< null: writers maintain, if there are any
  std::unique_ptr<Worker> commits_;  ///< null: nobody syncs unasked
};

}  // namespace dgfs::delta
