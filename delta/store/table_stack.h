// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TableStack: the newest changes of a store, over its tree. A memtable takes batches. Immutable
// memtables below it wait for the tree; those of the current group also wait for the log. The
// oldest are settled while they go into the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "delta/store/failure.h"
#include "delta/store/filter/prefix_filter.h"
#include "delta/store/run/memtable.h"
#include "delta/store/snapshot/view.h"

namespace dgfs::delta {

/// Batches that will be logged together. A value.
struct TableGroup {
  std::vector<MemtableRef> tables;  ///< the oldest first
  std::uint64_t sequence = 0;       ///< of the last batch
  std::uint64_t value_bytes = 0;    ///< promised to their large values
};

/// Thread-safe.
class TableStack {
 public:
  /// @param failure   must outlive it
  /// @param filter    gets each key before a table does; must outlive it
  /// @param root      of the tree
  /// @param sequence  of the last batch that is in the tree
  TableStack(Failure& failure, PrefixFilter& filter, StoredNode root, std::uint64_t sequence);

  /// Result of taking in a batch. A value.
  struct TakenIn {
    std::uint64_t sequence = 0;  ///< of the batch
    bool has_frozen = false;     ///< the memtable was frozen
  };
  /// Takes in a batch: all of it or nothing. Errors: those of Failure::check() and of
  /// PrefixFilter::add(). If it throws std::bad_alloc, either nothing has changed or the store is
  /// torn, so that no reader sees half a batch.
  /// @param value_bytes  promised to its large values
  [[nodiscard]] Result<TakenIn> take_in(const Batch& batch, std::size_t value_bytes);
  /// Takes in the newest changes from the log, up to a sequence number. They belong to no group.
  void take_in_replayed(const RunRef& run, std::uint64_t sequence);

  /// The message of the memtable for a key, and the view of what lies below.
  struct Newest {
    Message message;  ///< a patch without edits: no message
    std::shared_ptr<const TreeView> view;
  };
  /// Errors: those of Failure::check_torn().
  [[nodiscard]] Result<Newest> find(std::string_view key) const;
  /// The present state. The memtable still takes batches. Cost: O(number of tables). Throws
  /// std::bad_alloc if the store is torn.
  [[nodiscard]] TreeView snapshot() const;
  [[nodiscard]] StoredNode root() const;
  [[nodiscard]] TreeHold hold() const;
  /// Whether a snapshot or a cursor has a view of the present tree: space that a new tree frees
  /// stays in use for it.
  [[nodiscard]] bool is_view_kept() const;

  /// Of the last batch.
  [[nodiscard]] std::uint64_t sequence() const;
  /// What waits. A value.
  struct Backlog {
    std::size_t group_bytes = 0;  ///< for the log
    std::size_t tree_bytes = 0;   ///< for the tree
    bool has_too_many = false;    ///< too many loose tables: the next writer has to join them
  };
  [[nodiscard]] Backlog backlog() const;
  /// How many tables have been frozen.
  [[nodiscard]] std::uint64_t frozen() const;

  /// Takes all changes that are in no earlier group. Their tables stay where they are, so that
  /// changes are sorted once for log and tree. Errors: those of Failure::check(). If this or a call
  /// below throws std::bad_alloc, nothing has changed.
  [[nodiscard]] Result<TableGroup> take_group();
  /// The same, and settles all tables.
  [[nodiscard]] Result<TableGroup> take_group_and_settle();
  /// Settles all tables. Errors: those of Failure::check().
  [[nodiscard]] Status settle();
  /// Makes all tables loose again.
  void unsettle();
  [[nodiscard]] std::vector<MemtableRef> settled() const;
  /// Joins the settled tables, so that a slot of the root gets one run of them. Cuts the result
  /// into at most 2 * kSlicesMax slices of the key space, which go into the tree one after the
  /// other.
  /// @param bytes  a slice has roughly this divided by kSlicesMax, or more
  void slice_settled(std::uint64_t bytes);
  /// Installs a new tree that has the oldest tables, which were settled. For one thread at a time.
  /// @param tables  their number
  void replace_tree(StoredNode root, std::size_t tables);

  /// If many loose tables lie on each other, joins the newest with as many older ones as are not
  /// much larger than the ones above. No other call waits meanwhile. If another call changes the
  /// tables in that time, or there is no memory, the tables stay as they are.
  void join();

 private:
  [[nodiscard]] bool apply(const Batch& batch);
  void freeze_table();
  void add_table(MemtableRef table);
  [[nodiscard]] TableGroup group_taken();
  [[nodiscard]] std::vector<MemtableRef> loose() const;
  void join_loose();
  void replace_settled(const std::vector<MemtableRef>& tables);
  void replace_loose(const std::vector<MemtableRef>& tables, const MemtableRef& joined);

  Failure& failure_;

  /// Before mutex_. A call that changes table_ holds both; with this one alone it may only read
  /// table_. So readers need not wait while it prepares the change.
  std::mutex changing_;
  /// Guards all that follows, and adding to the filter. No I/O under it.
  mutable std::mutex mutex_;
  PrefixFilter& filter_;
  Memtable table_;  ///< changes newer than view_
  std::shared_ptr<const TreeView> view_;
  std::vector<MemtableRef> group_;       ///< to be logged; the view has them, maybe joined
  std::uint64_t group_value_bytes_ = 0;  ///< promised to large values of the group
  std::size_t settled_ = 0;              ///< number of settled tables in view_, the oldest
  std::uint64_t sequence_;               ///< of the last batch
  std::uint64_t frozen_ = 0;
};

}  // namespace dgfs::delta
