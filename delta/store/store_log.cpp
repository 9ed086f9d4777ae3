// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How what was written gets into the log.
#include <algorithm>
#include <utility>

#include "delta/store/extent/value_binder.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/store.h"

namespace dgfs::delta {

std::size_t Store::group_bytes() const {
  std::size_t bytes = table_.size_bytes();
  for (const FrozenRef& table : group_) bytes += table->size_bytes();
  return bytes;
}

Status Store::sync() {
  return whole_or_never_again([this] { return commit(); });
}

Status Store::commit() {
  DGFS_TRY(is_logged, write_group());
  if (!is_logged) return checkpoint();
  join_tables();
  return ok();
}

// False if there is no room.
Result<bool> Store::write_group() {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard lock(state_lock_);
    if (failure_) return *failure_;
    sequence = applied_;
  }
  const std::lock_guard lock(log_lock_);
  // A group that was taken and is in no log must not be taken for one that is logged by whoever
  // has the lock next.
  return whole_or_never_again([&] { return write_group_since(sequence); });
}

Result<bool> Store::write_group_since(std::uint64_t sequence) {
  std::vector<FrozenRef> group;
  {
    // Others may have written it meanwhile, and with them what came later.
    const std::lock_guard state_lock(state_lock_);
    if (failure_) return *failure_;
    if (durable_ >= sequence) return true;
    sequence = applied_;
    group = take_group();
  }
  add_to_unlogged(group);
  return log_group(sequence);
}

// The table of the group becomes one of the view: what is written is sorted once, for both.
std::vector<FrozenRef> Store::take_group() {
  freeze_table();
  unlogged_value_bytes_ += std::exchange(group_value_bytes_, 0);
  return std::exchange(group_, {});
}

void Store::add_to_unlogged(const std::vector<FrozenRef>& group) {
  std::vector<RunRef> runs = {unlogged_};
  for (const FrozenRef& table : group) runs.push_back(table->run());
  unlogged_ = merged(std::move(runs));
}

// Values that have died are in no run: they are bound to nothing, and never written.
Status Store::bind_values(const Run& run) {
  bool is_any = false;
  ValueBinder binder(extents_);
  for (const Message& message : run.boxed()) {
    if (!message.large) continue;
    DGFS_CHECK(binder.add(*message.large));
    is_any = true;
  }
  if (!is_any) return ok();
  DGFS_CHECK(binder.finish());
  // The log must not be durable before what it refers to.
  if (auto synced = extents_.file().sync(); !synced) return fail(std::move(synced).error());
  const std::lock_guard lock(state_lock_);
  counters_.value_bytes = extents_.file().written_bytes();
  return ok();
}

void Store::note_bound() { extents_.release(std::exchange(unlogged_value_bytes_, 0)); }

Status Store::check_whole() const {
  const std::lock_guard lock(state_lock_);
  return failure_ ? Status(*failure_) : ok();
}

Result<bool> Store::log_group(std::uint64_t sequence) {
  if (!unlogged_->empty()) {
    DGFS_CHECK(bind_values(*unlogged_));
    note_bound();
    // A sync that another thread has seen fail may have taken what this group refers to.
    DGFS_CHECK(check_whole());
    if (auto logged = log_->append(*unlogged_, sequence); !logged) {
      if (logged.error().kind() == ErrorKind::kNoSpace && logged.error().code() == 7024) {
        return false;
      }
      return fail(std::move(logged).error());
    }
    unlogged_ = empty_run();
  }
  const std::lock_guard lock(state_lock_);
  durable_ = std::max(durable_, sequence);
  log_bytes_ = log_->used_bytes();
  counters_.log_bytes = log_->written_bytes();
  return true;
}

}  // namespace dgfs::delta
