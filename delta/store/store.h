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

#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "delta/store/cleaning_pace.h"
#include "delta/store/disk/retired_blocks.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/log/log.h"
#include "delta/store/log/superblock.h"
#include "delta/store/pacer.h"
#include "delta/store/run/batch.h"
#include "delta/store/run/memory_table.h"
#include "delta/store/tree/cursor.h"
#include "delta/store/tree/editor.h"
#include "delta/store/tree/tree_cleaner.h"
#include "delta/store/worker.h"
#include "storage/env.h"

namespace dgfs::delta {

/// How a store is opened. A value.
struct StoreOptions {
  bool create = false;         ///< makes one where there is none
  StoreParameters parameters;  ///< of one that is made
  /// For blocks that were read; an eighth more for large values that are read again and again.
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::size_t table_bytes = std::size_t{32} << 20;  ///< of changes that wait for the tree
  std::size_t dirty_bytes = std::size_t{64} << 20;  ///< of the tree, not written yet
  /// Of free space in a file; less is not given back to the disk, and not worth cleaning.
  std::size_t spare_bytes = std::size_t{1} << 20;
  int level = 1;  ///< zstd's, of blocks of the tree; 0: they are not compressed
  /// Threads maintain the store, and make durable what is a second old. Without them writers do the
  /// first, at moments that depend on what they write alone, and sync() the second.
  bool in_background = false;
};

/// Counts since it was opened.
struct StoreCounters {
  std::uint64_t log_bytes = 0;    ///< groups, with headers and padding
  std::uint64_t block_bytes = 0;  ///< nodes and runs
  std::uint64_t value_bytes = 0;  ///< large values
  std::uint64_t moved_bytes = 0;  ///< of both, moved so that a file gets shorter
  std::uint64_t checkpoints = 0;
  std::uint64_t tables = 0;  ///< frozen
};

/// Thread-safe. A store is open once, in whatever process. After a failed sync, or a failed write
/// of a superblock, every call that writes fails with the same error until the store is opened
/// again: what the disk holds is not known. So do all calls after one that writes has thrown
/// std::bad_alloc: what the memory holds is not known. cursor() throws it again then. Maintenance
/// that lacks memory is given up, as a rule, and throws nothing.
class Store {
 public:
  /// Errors: kNotFound (no store, and none is to be made), kBusy (it is open already, or being
  /// made), kIo, kNoSpace, kCorrupt, kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(storage::Env& env,
                                                           const std::string& directory,
                                                           const StoreOptions& options);

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
  /// Sees what has been applied so far. The store must outlive it.
  /// @param bounds  of the keys that it sees
  [[nodiscard]] Cursor cursor(KeyRange bounds = {"", std::nullopt});

  /// Moves waiting tables into the tree. Errors: kIo, kNoSpace, kCorrupt, kLimit (no memory for
  /// it); the store says what it said before then, and goes on.
  [[nodiscard]] Status maintain();
  /// What was applied before is in a durable tree, and the log is empty. Errors: kIo, and those of
  /// maintain().
  [[nodiscard]] Status checkpoint();

  [[nodiscard]] StoreCounters counters() const;

 private:
  struct Files {
    std::unique_ptr<storage::File> superblocks;
    std::unique_ptr<Log> log;
    std::unique_ptr<storage::File> blocks;
    std::unique_ptr<storage::File> extents;
  };

  /// How many times the bytes of the tables may wait while a thread moves them into the tree.
  static constexpr std::uint64_t kPatience = 2;
  /// Pieces in which tables go into the tree, at most.
  static constexpr std::uint64_t kSlicesMax = 8;

  /// What a batch asks for, at most.
  struct BatchSize {
    std::size_t table_bytes = 0;  ///< of memory and of the log, without large values
    std::size_t value_bytes = 0;  ///< of these
  };

  /// What a checkpoint will have.
  struct BegunCheckpoint {
    std::uint64_t sequence = 0;
    std::uint64_t value_bytes = 0;
    bool is_logged = false;  ///< its group found room in the log
    LogPosition log;         ///< from where on it is needed
  };

  Store(storage::Env& env, Files files, const Superblock& superblock, const StoreOptions& options);

  [[nodiscard]] static Status make_if_none(storage::Env& env, const std::string& directory,
                                           const StoreOptions& options);
  [[nodiscard]] static Status make(storage::Env& env, const std::string& directory,
                                   const StoreOptions& options);
  [[nodiscard]] Status recover();
  [[nodiscard]] Status mark_used_space();
  [[nodiscard]] Status replay(const Run& run);
  /// Calls that lack memory half way: none may go on from there.
  template <class Call>
  auto whole_or_never_again(Call call) -> decltype(call());
  void note_torn() noexcept;
  /// Likewise; the caller holds state_lock_.
  void mark_torn() noexcept;
  [[nodiscard]] Status check_batch(const Batch& batch) const;
  [[nodiscard]] Status add(const Batch& batch);
  [[nodiscard]] bool is_large(const Message& message) const;
  [[nodiscard]] BatchSize size_of(const Batch& batch) const;
  [[nodiscard]] Batch with_large_values(const Batch& batch);
  [[nodiscard]] Status admit(const Batch& batch, const BatchSize& size);
  [[nodiscard]] Status promise_space(const Batch& batch, const BatchSize& size);
  [[nodiscard]] Result<bool> take_in(const Batch& batch, const BatchSize& size);
  [[nodiscard]] Status make_room(const BatchSize& batch);
  [[nodiscard]] Status make_room_below(bool is_checkpoint_due, std::size_t waiting_bytes);
  [[nodiscard]] bool is_checkpoint_due() const;
  [[nodiscard]] std::size_t waiting_bytes() const;
  [[nodiscard]] Status commit();
  [[nodiscard]] Result<bool> write_group();
  [[nodiscard]] Result<bool> write_group_since(std::uint64_t sequence);
  [[nodiscard]] Result<bool> log_group(std::uint64_t sequence);
  void freeze_table();
  void add_table(FrozenRef table);
  [[nodiscard]] std::size_t group_bytes() const;
  [[nodiscard]] std::vector<FrozenRef> take_group();
  void add_to_unlogged(const std::vector<FrozenRef>& group);
  void note_bound();
  [[nodiscard]] Status check_whole() const;
  [[nodiscard]] std::vector<FrozenRef> loose_tables() const;
  void join_tables();
  void join_tables_soon();
  void join_settled_tables();
  void replace_settled_tables(const std::vector<FrozenRef>& tables);
  [[nodiscard]] std::vector<FrozenRef> settled_tables() const;
  [[nodiscard]] Status bind_settled_tables();
  [[nodiscard]] Status bind_values(const Run& run);
  [[nodiscard]] Status start_workers();
  [[nodiscard]] Status work(Status (Store::*task)());
  [[nodiscard]] Status move_tables();
  [[nodiscard]] Status move_tables_if_many();
  [[nodiscard]] Pacer::Duration now() const { return Pacer::Duration(env_.monotonic_ns()); }
  [[nodiscard]] Status make_checkpoint();
  [[nodiscard]] Result<BegunCheckpoint> begin_checkpoint();
  [[nodiscard]] Status renew_tree(std::unique_lock<std::mutex>& log_lock);
  [[nodiscard]] Status tend();
  [[nodiscard]] Status spill();
  [[nodiscard]] Status write_tree(const StoredNode& root);
  void pace(const BatchSize& batch);
  /// Work that changes nothing before it is done: where it lacks memory, all is as it was.
  template <class Work>
  [[nodiscard]] Status done_or_undone(Work work);
  [[nodiscard]] Status push_tables();
  [[nodiscard]] Status push_table(const FrozenRef& table);
  [[nodiscard]] Result<StoredNode> push(const StoredNode& root, const RunRef& run);
  /// @param tables  of the view, from the oldest on, that the new tree has
  void replace_tree(StoredNode root, std::size_t tables);
  [[nodiscard]] Status find_space();
  [[nodiscard]] StoredNode current_root() const;
  [[nodiscard]] Result<std::uint64_t> reserve_bytes(const Stored<Node>& root) const;
  [[nodiscard]] Result<bool> keep_reserve(const Stored<Node>& root);
  [[nodiscard]] Status give_space_back(const Stored<Node>& root);
  void retire();
  void free_space();
  void clean();
  [[nodiscard]] Result<bool> clean_for_space();
  [[nodiscard]] TreeCleaner::Ends close_sparse_ends();
  [[nodiscard]] TreeCleaner::Ends close_ends();
  [[nodiscard]] std::uint64_t end_bytes() const;
  void move_ends(const TreeCleaner::Ends& ends);
  [[nodiscard]] bool try_to_clean(TreeCleaner& cleaner);
  [[nodiscard]] bool is_view_kept();
  [[nodiscard]] bool leaves_reserve(const Stored<Node>& root);
  [[nodiscard]] Result<bool> change_segment(std::uint64_t sequence);
  [[nodiscard]] Status write_checkpoint(std::uint64_t sequence, const LogPosition& log);
  [[nodiscard]] Error fail(Error error);
  [[nodiscard]] BlockSource source() const { return {&blocks_, &cache_, &extents_}; }

  storage::Env& env_;  ///< its clock
  const StoreOptions options_;
  const StoreParameters parameters_;
  std::unique_ptr<storage::File> superblocks_;
  mutable BlockCache cache_;
  ExtentVolume extents_;  ///< outlives all values

  // Order of locks: work_, log_lock_, state_lock_. No I/O under the last.
  std::mutex work_;  ///< maintenance: all that follows up to log_lock_, and what blocks_ has
  Superblock superblock_;
  BlockFile blocks_;
  BlockPacker packer_;
  TreeEditor editor_;
  RetiredBlocks retired_;
  CleaningPace cleaning_pace_;
  bool is_space_urgent_ = false;                  ///< the next checkpoint is to clean
  std::optional<std::uint64_t> cleaned_in_vain_;  ///< what in_tree_ was then

  std::mutex log_lock_;  ///< values are bound under it, too
  std::unique_ptr<Log> log_;

  RunRef unlogged_;  ///< a group that found no room; nothing newer is logged before it
  std::size_t unlogged_value_bytes_ = 0;  ///< promised to large values of it

  mutable std::mutex state_lock_;  ///< all that follows
  MemoryTable table_;              ///< what is newer than view_
  std::shared_ptr<const TreeView> view_;
  std::vector<FrozenRef> group_;    ///< of its tables, and of those it had: what is not in the log
  std::size_t settled_tables_ = 0;  ///< of view_, from the oldest on: not to be merged with others
  std::uint64_t applied_ = 0;       ///< sequence number of the last batch
  std::uint64_t in_tree_ = 0;       ///< of the last one that is in a durable tree
  std::uint64_t durable_ = 0;       ///< of the last one that is
  std::uint64_t log_bytes_ = 0;     ///< in the segment: who writes does not wait for one that syncs
  std::size_t group_value_bytes_ = 0;            ///< promised to large values of the group
  std::uint64_t value_bytes_at_checkpoint_ = 0;  ///< what counters_ said then
  std::optional<Error> failure_;
  Error out_of_memory_;   ///< made while there is memory for it
  bool is_torn_ = false;  ///< for a lack of memory: what the tables hold is not what it should be
  std::optional<Error> refusal_;  ///< of batches: there is no space for a checkpoint of more
  StoreCounters counters_;

  Pacer pacer_;

  // Last: they end before all that they use.
  std::unique_ptr<Worker> maintenance_;
  std::unique_ptr<Worker> commits_;
};

template <class Work>
Status Store::done_or_undone(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    editor_.give_up();
    return Error(ErrorKind::kLimit, 7098, "no memory for moving changes into the tree");
  }
}

template <class Call>
auto Store::whole_or_never_again(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    note_torn();
    throw;
  }
}

}  // namespace dgfs::delta
