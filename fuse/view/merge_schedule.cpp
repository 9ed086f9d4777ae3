// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/merge_schedule.h"

#include <chrono>
#include <exception>

#include "storage/posix/blocked_signals.h"

namespace dgfs::fuse {
namespace {

// How often it looks whether a merge is due.
constexpr std::chrono::seconds kLookInterval{1};
constexpr std::chrono::nanoseconds kPause = std::chrono::minutes{10};
constexpr std::uint64_t kGrowthShare = 4;

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
  if (bytes_ == 0) return ok();
  const storage::BlockedSignals blocked;  // the thread inherits it
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return Error(ErrorKind::kLimit, 5095, "cannot start a thread");
  }
  return ok();
}

void MergeSchedule::run() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kLookInterval, [this] { return is_ending_; })) {
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
    const auto status = merge_.status();
    if (status.is_running) return;
    const auto bytes = delta_bytes();
    if (status.number != merge_number_) {  // a merge has ended since the last look
      merge_number_ = status.number;
      bytes_after_ = bytes;
      ended_ns_ = env_.monotonic_ns();
    }
    if (bytes < bytes_) return;
    const bool has_grown = bytes >= bytes_after_ + bytes_ / kGrowthShare;
    const bool has_paused = std::chrono::nanoseconds(env_.monotonic_ns() - ended_ns_) >= kPause;
    if (ended_ns_ != 0 && !has_grown && !has_paused) return;
    // Somebody may have begun one meanwhile. Other failures are in the log.
    static_cast<void>(merge_.start({}));
  } catch (const std::exception&) {
    // No memory, not even for the error.
  }
}

}  // namespace dgfs::fuse
