// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TableStack: the newest changes of a store, over its tree. A memtable takes batches;
// immutable ones below it wait for the tree, and for the log as far as they are of the group that
// is to be logged. The oldest of those that wait are settled while they go into the tree.
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

/// Batches that are to be logged together. A value.
struct TableGroup {
  std::vector<MemtableRef> tables;  ///< the oldest first
  std::uint64_t sequence = 0;       ///< of the last batch
  std::uint64_t value_bytes = 0;    ///< promised to their large values
};

/// Thread-safe.
class TableStack {
 public:
  /// @param failure   must outlive it
  /// @param filter    is told of all keys before they are there; must outlive it
  /// @param root      of the tree
  /// @param sequence  of the last batch that the tree has
  TableStack(Failure& failure, PrefixFilter& filter, StoredNode root, std::uint64_t sequence);

  /// A batch that was taken in. A value.
  struct TakenIn {
    std::uint64_t sequence = 0;  ///< number of the batch
    bool has_frozen = false;     ///< it has frozen a table
  };
  /// All of a batch or nothing. Errors: those of Failure::check(), and of PrefixFilter::add().
  /// Where it throws std::bad_alloc, nothing has changed, or the store is torn before anybody sees
  /// half a batch.
  /// @param value_bytes  promised to its large values
  [[nodiscard]] Result<TakenIn> take_in(const Batch& batch, std::size_t value_bytes);
  /// What the log had: the newest, up to a sequence number. It is in no group.
  void take_in_replayed(const RunRef& run, std::uint64_t sequence);

  /// What the memtable says of a key, and what lies below.
  struct Newest {
    Message message;  ///< a patch without edits: nothing
    std::shared_ptr<const TreeView> view;
  };
  /// Errors: those of Failure::check_torn().
  [[nodiscard]] Result<Newest> find(std::string_view key) const;
  /// All as it is now; the memtable goes on. Cost: O(number of tables). Throws std::bad_alloc if
  /// the store is torn.
  [[nodiscard]] TreeView snapshot() const;
  [[nodiscard]] StoredNode root() const;
  [[nodiscard]] TreeHold hold() const;
  /// Somebody has a view of what is not the newest tree: what is freed stays for it.
  [[nodiscard]] bool is_view_kept() const;

  /// Of the last batch.
  [[nodiscard]] std::uint64_t sequence() const;
  /// What waits. A value.
  struct Backlog {
    std::size_t group_bytes = 0;  ///< for the log
    std::size_t tree_bytes = 0;   ///< for the tree
    bool has_too_many = false;    ///< tables lie on each other: whoever makes more has to join them
  };
  [[nodiscard]] Backlog backlog() const;
  /// How many tables have been frozen.
  [[nodiscard]] std::uint64_t frozen() const;

  /// All that is in no group that was taken before. Its tables stay where they are: what is written
  /// is sorted once, for the log and the tree. Errors: those of Failure::check(). If it throws
  /// std::bad_alloc, nothing has changed; the same holds of all that follows.
  [[nodiscard]] Result<TableGroup> take_group();
  /// The same, and settles all tables.
  [[nodiscard]] Result<TableGroup> take_group_and_settle();
  /// Settles all tables. Errors: those of Failure::check().
  [[nodiscard]] Status settle();
  /// None is settled any more.
  void unsettle();
  [[nodiscard]] std::vector<MemtableRef> settled() const;
  /// Settled tables become one, so that a slot of the root gets one run of them; and that slices of
  /// the key space, 2 kSlicesMax at most, which go into the tree one after the other.
  /// @param bytes  of what goes into the tree at once, about
  void slice_settled(std::uint64_t bytes);
  /// A new tree, with the oldest tables in it, which were settled. For one thread at a time.
  /// @param tables  their number
  void replace_tree(StoredNode root, std::size_t tables);

  /// Where many tables lie on each other that are not settled, the newest become one, and as many
  /// before them as are not much larger than those behind; while nobody waits. Where others change
  /// the tables meanwhile, it is their turn. Where there is no memory for it they stay as they are.
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

  /// Before mutex_. Whoever changes table_ has both; with this alone he may read it, so that those
  /// who read need not wait while he makes what comes next.
  std::mutex changing_;
  mutable std::mutex mutex_;  ///< all that follows, and adding to the filter; no I/O under it
  PrefixFilter& filter_;
  Memtable table_;  ///< what is newer than view_
  std::shared_ptr<const TreeView> view_;
  std::vector<MemtableRef> group_;       ///< what of the view, or joined in it, is to be logged
  std::uint64_t group_value_bytes_ = 0;  ///< promised to large values of the group
  std::size_t settled_ = 0;  ///< of view_, from the oldest on: not to be joined with others
  std::uint64_t sequence_;   ///< of the last batch
  std::uint64_t frozen_ = 0;
};

}  // namespace dgfs::delta
