// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/merge_schedule.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "storage/posix/blocked_signals.h"

namespace dgfs::fuse {
namespace {

// How often it looks whether a merge is due, and whether something can be removed.
constexpr std::chrono::seconds kLookInterval{1};
constexpr std::chrono::seconds kRemoveInterval{60};
// After a merge, until the next one.
constexpr std::chrono::nanoseconds kPause = std::chrono::minutes{10};
constexpr std::uint64_t kGrowthShare = 4;
// After more failures than this the pause grows no more: it is some twenty hours.
constexpr unsigned kDoublingsMax = 7;

}  // namespace

MergeSchedule::~MergeSchedule() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status MergeSchedule::start() {
  const storage::BlockedSignals blocked;  // the thread inherits it
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return Error(ErrorKind::kLimit, 5095, "cannot start a thread");
  }
  return ok();
}

// Without a size it wakes up rarely.
void MergeSchedule::run() {
  const auto interval = bytes_ == 0 ? kRemoveInterval : kLookInterval;
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, interval, [this] { return is_ending_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

std::uint64_t MergeSchedule::delta_bytes() const {
  return delta_.sealed_bytes() + delta_.newest_store()->counters().used_bytes;
}

void MergeSchedule::look() noexcept {
  try {
    remove_rest();
    if (bytes_ != 0) merge_if_due();
  } catch (const std::exception&) {
    // No memory, not even for the error.
  }
}

void MergeSchedule::remove_rest() {
  const auto now_ns = env_.monotonic_ns();
  if (removed_ns_ != 0 && std::chrono::nanoseconds(now_ns - removed_ns_) < kRemoveInterval) return;
  removed_ns_ = now_ns;
  merge_.remove_rest();
}

// A retry leaves the live store as it is, so another merge may follow at once.
void MergeSchedule::note_end(const merge::MergeStatus& status, std::uint64_t bytes) {
  const bool was_retry = retry_ != 0 && retry_ == status.merges;
  failures_ = status.has_failed ? failures_ + 1 : 0;
  merges_ = status.merges;
  bytes_after_ = bytes;
  ended_ns_ = was_retry && !status.has_failed ? 0 : env_.monotonic_ns();
}

void MergeSchedule::merge_if_due() {
  const auto status = merge_.status();
  if (status.is_running && !status.is_dry_run) return;
  const auto bytes = delta_bytes();
  if (status.merges != merges_) note_end(status, bytes);
  if (bytes < bytes_) return;
  const unsigned doublings = std::min(failures_ == 0 ? 0 : failures_ - 1, kDoublingsMax);
  const auto growth_bytes = bytes_ / kGrowthShare << doublings;
  const bool has_grown = bytes >= bytes_after_ + growth_bytes;
  const auto paused = std::chrono::nanoseconds(env_.monotonic_ns() - ended_ns_);
  if (ended_ns_ != 0 && !has_grown && paused < kPause * (1U << doublings)) return;
  // Somebody may have begun one meanwhile. Other failures are in the log.
  const bool is_retry = failures_ != 0;
  const auto begun =
      merge_.start({}, is_retry ? merge::MergeCause::kRetry : merge::MergeCause::kSize);
  if (begun && is_retry) retry_ = status.merges + 1;
}

}  // namespace dgfs::fuse
