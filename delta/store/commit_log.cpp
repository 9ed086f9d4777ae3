// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/commit_log.h"

#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/extent/value_binder.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"

namespace dgfs::delta {
namespace {

// The run of a group that was read, with large values that are marked as in use and not owned by
// the tree.
Result<RunRef> with_values(const Run& run, ExtentVolume& values) {
  RunBuilder points;
  for (const Point point : run.points()) {
    if (point.boxed == nullptr) {
      points.add(point);
      continue;
    }
    const auto in_use = [&](const LargeRef& large) -> Result<LargeRef> {
      DGFS_CHECK(values.file().mark(*large->extent()));
      return std::make_shared<const LargeValue>(*large->place(), values);
    };
    DGFS_TRY(message, with_other_values(*point.boxed, in_use));
    points.add(point.key, std::move(message));
  }
  return points.take(run.tombstones());
}

}  // namespace

CommitLog::CommitLog(std::unique_ptr<Log> log, TableStack& tables, ExtentVolume& values,
                     Failure& failure, const LargeBounds& bounds, std::uint64_t sequence)
    : tables_(tables),
      values_(values),
      failure_(failure),
      bounds_(bounds),
      log_(std::move(log)),
      unlogged_(empty_run()) {
  progress_.durable = sequence;
}

// First pass: marks the large values of each group as in use, and writes nothing. The result of all
// groups goes into the tree after all have been read.
Status CommitLog::replay(const LogPosition& begin) {
  if (log_ == nullptr) return ok();  // of a layer
  const auto in_tree = tables_.sequence();
  DGFS_CHECK(log_->replay(begin, [&](const Run& run, std::uint64_t sequence) -> Status {
    if (sequence <= in_tree) return ok();
    DGFS_TRY(replayed, with_values(run, values_));
    tables_.take_in_replayed(replayed, sequence);
    tables_.join();
    return ok();
  }));
  const auto replayed = tables_.sequence();
  const std::lock_guard lock(progress_lock_);
  progress_.durable = replayed;
  progress_.used_bytes = log_->used_bytes();
  return ok();
}

void CommitLog::release() {
  {
    const std::lock_guard lock(hold_lock_);
    is_held_ = false;
  }
  released_.notify_all();
}

void CommitLog::wait_until_released() {
  if (!is_held_) return;
  std::unique_lock lock(hold_lock_);
  released_.wait(lock, [this] { return !is_held_; });
}

bool CommitLog::is_past(const LogPosition& begin) const {
  return log_->segment_begin().generation != begin.generation;
}

Result<bool> CommitLog::commit(std::uint64_t sequence) {
  DGFS_CHECK(failure_.check());
  const std::lock_guard lock(lock_);
  // Another call may have logged the batch meanwhile, with later ones.
  DGFS_CHECK(failure_.check());
  if (progress().durable >= sequence) return true;
  try {
    return log_newest();
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7201, "no memory for a group of the log");
  }
}

Result<bool> CommitLog::log_newest() {
  merge_taken();
  DGFS_TRY(group, tables_.take_group());
  const auto sequence = group.sequence;
  taken_ = std::move(group);
  merge_taken();
  return log_unlogged(sequence);
}

// A group that was taken stays here until it is logged, even after a failure: otherwise the next
// call would believe that it is logged.
void CommitLog::merge_taken() {
  std::vector<RunRef> runs = {unlogged_};
  for (const MemtableRef& table : taken_.tables) {
    runs.push_back(table->late_bound_run(bounds_, values_));
  }
  unlogged_ = merged(std::move(runs));
  unlogged_value_bytes_ += taken_.value_bytes;
  taken_ = {};
}

// False: no room.
Result<bool> CommitLog::log_unlogged(std::uint64_t sequence) {
  if (!unlogged_->empty()) {
    DGFS_CHECK(bind(*unlogged_));
    release_promised();
    // A failed sync in another thread may have lost values to which this group refers.
    DGFS_CHECK(failure_.check());
    if (auto logged = log_->append(*unlogged_, sequence); !logged) {
      if (logged.error().kind() == ErrorKind::kNoSpace && logged.error().code() == 7024) {
        return false;
      }
      return failure_.note(logged.error());
    }
    const auto logged = std::exchange(unlogged_, empty_run());
    const std::lock_guard lock(progress_lock_);
    progress_.memory_bytes += logged->size_bytes();
  }
  const std::lock_guard lock(progress_lock_);
  progress_.durable = std::max(progress_.durable, sequence);
  progress_.used_bytes = log_->used_bytes();
  progress_.written_bytes = log_->written_bytes();
  return true;
}

// Values that have died are in no run: they are never bound or written.
Status CommitLog::bind(const Run& run) {
  bool is_any = false;
  ValueBinder binder(values_);
  for (const Message& message : run.boxed()) {
    for (const LargeRef& large : large_values(message)) {
      DGFS_CHECK(binder.add(*large));
      is_any = true;
    }
  }
  if (!is_any) return ok();
  DGFS_CHECK(binder.finish());
  // The values of a group must be durable before the group is.
  DGFS_CHECK(failure_.note_sync([this] { return values_.file().sync(); }));
  const std::lock_guard lock(progress_lock_);
  progress_.value_bytes = values_.file().written_bytes();
  return ok();
}

void CommitLog::release_promised() { values_.release(std::exchange(unlogged_value_bytes_, 0)); }

Status CommitLog::bind_settled(const Checkpoint* checkpoint) {
  std::unique_lock lock(lock_, std::defer_lock);
  if (checkpoint == nullptr || !checkpoint->keeps_writers()) lock.lock();
  for (const MemtableRef& table : tables_.settled()) {
    DGFS_CHECK(bind(*table->run()));
  }
  return ok();
}

void CommitLog::make_settled_large(const Checkpoint* checkpoint) {
  std::unique_lock lock(lock_, std::defer_lock);
  if (checkpoint == nullptr || !checkpoint->keeps_writers()) lock.lock();
  for (const MemtableRef& table : tables_.settled()) {
    static_cast<void>(table->late_bound_run(bounds_, values_));
  }
}

Result<CommitLog::Checkpoint> CommitLog::begin_checkpoint(const LogPosition& needed) {
  wait_until_released();
  Checkpoint begun;
  begun.lock = std::unique_lock(lock_);
  DGFS_TRY(is_logged, begin(needed, begun));
  if (is_logged) begun.lock.unlock();
  return begun;
}

// Returns whether the group is in the log.
Result<bool> CommitLog::begin(const LogPosition& needed, Checkpoint& begun) {
  merge_taken();
  DGFS_TRY(group, tables_.take_group_and_settle());
  begun.sequence = group.sequence;
  begun.value_bytes = progress().value_bytes;
  taken_ = std::move(group);
  merge_taken();
  DGFS_TRY(is_logged, change_segment(needed, begun.sequence));
  begun.log = log_->segment_begin();
  values_.begin_period();
  return is_logged;
}

// Does nothing if the other segment is still needed because an earlier checkpoint failed. Returns
// whether the group is in the log.
Result<bool> CommitLog::change_segment(const LogPosition& needed, std::uint64_t sequence) {
  DGFS_TRY(is_logged, log_unlogged(sequence));
  if (is_past(needed)) return is_logged;
  log_->change_segment();
  {
    const std::lock_guard lock(progress_lock_);
    progress_.used_bytes = 0;
    progress_.memory_bytes = 0;
  }
  return is_logged ? Result<bool>(true) : log_unlogged(sequence);
}

void CommitLog::finish(const Checkpoint& checkpoint) {
  if (checkpoint.keeps_writers()) {
    unlogged_ = empty_run();
    release_promised();
  }
  const std::lock_guard lock(progress_lock_);
  progress_.durable = std::max(progress_.durable, checkpoint.sequence);
  value_bytes_at_checkpoint_ = checkpoint.value_bytes;
}

CommitLog::Progress CommitLog::progress() const {
  const std::lock_guard lock(progress_lock_);
  Progress progress = progress_;
  progress.value_bytes_since_checkpoint = progress.value_bytes - value_bytes_at_checkpoint_;
  return progress;
}

}  // namespace dgfs::delta
