// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How what was written gets into the tree, and the tree to the disk.
#include <algorithm>
#include <chrono>
#include <utility>

#include "delta/store/run/run_builder.h"
#include "delta/store/store.h"
#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

// What a crash may cost those who do not sync.
constexpr std::chrono::milliseconds kCommitInterval{1000};

}  // namespace

Status Store::maintain() { return work(&Store::move_tables); }
Status Store::checkpoint() { return work(&Store::make_checkpoint); }

Status Store::work(Status (Store::*task)()) {
  return whole_or_never_again([&] {
    const std::lock_guard lock(work_);
    auto done = (this->*task)();
    const std::lock_guard state_lock(state_lock_);
    settled_tables_ = 0;  // some are left if it failed
    return done;
  });
}

Status Store::move_tables() {
  return done_or_undone([this]() -> Status {
    {
      const std::lock_guard state_lock(state_lock_);
      if (failure_) return *failure_;
      freeze_table();
      settled_tables_ = view_->tables.size();
    }
    join_settled_tables();
    {
      const std::lock_guard log_lock(log_lock_);
      DGFS_CHECK(bind_settled_tables());
    }
    return push_tables();
  });
}

Status Store::start_workers() {
  maintenance_ = std::make_unique<Worker>([this] { return tend(); });
  commits_ = std::make_unique<Worker>([this] { return sync(); }, kCommitInterval);
  DGFS_CHECK(maintenance_->start());
  return commits_->start();
}

// A writer that has run into the wall: while it waited for others that maintain, they may have
// made room.
Status Store::move_tables_if_many() {
  {
    const std::lock_guard state_lock(state_lock_);
    if (!failure_ && waiting_bytes() <= kPatience * options_.table_bytes) return ok();
  }
  return move_tables();
}

Status Store::tend() {
  bool is_due = false;
  bool is_full = false;
  {
    const std::lock_guard lock(state_lock_);
    is_due = is_checkpoint_due();
    is_full = waiting_bytes() > options_.table_bytes;
    if (is_due || is_full) pacer_.begin_work(now());
  }
  if (!is_due && !is_full) {  // many small tables lie on each other
    join_tables();
    return ok();
  }
  auto tended = is_due ? checkpoint() : maintain();
  const std::lock_guard lock(state_lock_);
  pacer_.end_work(now());
  return tended;
}

// The tree refers to bound values only. As a rule the log has bound them before. What has died is
// in none of them.
Status Store::bind_settled_tables() {
  for (const FrozenRef& table : settled_tables()) {
    DGFS_CHECK(bind_values(*table->run()));
  }
  return ok();
}

// The log changes its segment at once, so that writers go on while the tree is written. Where the
// group found no room they wait: one that had a part of what the checkpoint has and more would be
// replayed over it.
Status Store::make_checkpoint() {
  std::unique_lock log_lock(log_lock_);
  // As of write_group(): nobody may have the lock who does not know of a group that was lost.
  DGFS_TRY(begun, whole_or_never_again([this] { return begin_checkpoint(); }));
  if (begun.is_logged) log_lock.unlock();
  DGFS_CHECK(done_or_undone([&] { return renew_tree(log_lock); }));
  DGFS_CHECK(write_checkpoint(begun.sequence, begun.log));
  if (!begun.is_logged) {
    unlogged_ = empty_run();
    note_bound();
  }
  const std::lock_guard state_lock(state_lock_);
  durable_ = std::max(durable_, begun.sequence);
  in_tree_ = begun.sequence;
  value_bytes_at_checkpoint_ = begun.value_bytes;
  ++counters_.checkpoints;
  counters_.block_bytes = blocks_.written_bytes();
  return ok();
}

Result<Store::BegunCheckpoint> Store::begin_checkpoint() {
  BegunCheckpoint begun;
  std::vector<FrozenRef> group;
  {
    const std::lock_guard state_lock(state_lock_);
    if (failure_) return *failure_;
    group = take_group();
    begun.sequence = applied_;
    settled_tables_ = view_->tables.size();
    begun.value_bytes = counters_.value_bytes;
  }
  add_to_unlogged(group);
  DGFS_TRY(is_logged, change_segment(begun.sequence));
  begun.is_logged = is_logged;
  begun.log = log_->segment_begin();
  extents_.begin_period();
  return begun;
}

// Writes the tree that has all settled tables. The log lock is held where it was, and for a moment.
Status Store::renew_tree(std::unique_lock<std::mutex>& log_lock) {
  const bool is_held = log_lock.owns_lock();
  join_settled_tables();
  if (!is_held) log_lock.lock();
  DGFS_CHECK(bind_settled_tables());
  if (!is_held) log_lock.unlock();
  DGFS_CHECK(push_tables());
  // No group refers to these that is replayed after this checkpoint.
  retired_.add(nullptr, {{}, extents_.take_dropped()});
  DGFS_CHECK(write_tree(current_root()));
  if (!is_held) clean();  // all writers wait otherwise
  return ok();
}

// Not where the other segment is still needed, since the checkpoint before this failed. Returns
// whether the group is in the log.
Result<bool> Store::change_segment(std::uint64_t sequence) {
  DGFS_TRY(is_logged, log_group(sequence));
  if (log_->segment_begin().generation != superblock_.log.generation) return is_logged;
  log_->change_segment();
  {
    const std::lock_guard lock(state_lock_);
    log_bytes_ = 0;
  }
  return is_logged ? Result<bool>(true) : log_group(sequence);
}

Status Store::write_checkpoint(std::uint64_t sequence, const LogPosition& log) {
  const auto root = current_root();
  for (BlockFile* file : {&blocks_, &extents_.file()}) {
    if (auto synced = file->sync(); !synced) return fail(std::move(synced).error());
  }
  Superblock next = superblock_;
  ++next.checkpoint;
  next.sequence = sequence;
  next.log = log;
  next.root = *root->place();
  DGFS_CHECK(check_whole());
  // Whether it is on the disk is not known, nor what of the log it makes superfluous.
  if (auto written = write_superblock(*superblocks_, next); !written) {
    return fail(std::move(written).error());
  }
  if (auto synced = superblocks_->sync(); !synced) return fail(std::move(synced).error());
  superblock_ = next;
  retired_.note_checkpoint();
  free_space();
  return give_space_back(*root);
}

}  // namespace dgfs::delta
