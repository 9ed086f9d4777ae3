// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/seal_schedule.h"

#include <exception>
#include <utility>

#include "storage/posix/blocked_signals.h"

namespace dgfs::fuse {
namespace {

// How often it looks whether a seal is due.
constexpr std::chrono::seconds kInterval{1};

}  // namespace

SealSchedule::SealSchedule(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
                           std::string image_path, const SealTimes& times,
                           std::function<void(const Error&)> warn)
    : env_(env),
      view_(view),
      delta_(delta),
      image_path_(std::move(image_path)),
      times_(times),
      warn_(std::move(warn)),
      counted_from_ns_(env.monotonic_ns()) {}

SealSchedule::~SealSchedule() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status SealSchedule::start() {
  if (times_.interval.count() == 0 && times_.bytes == 0) return ok();
  const storage::BlockedSignals blocked;  // the thread inherits it
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return Error(ErrorKind::kLimit, 5091, "cannot start a thread");
  }
  return ok();
}

bool SealSchedule::is_due() const {
  if (times_.bytes != 0 && delta_.newest_store()->counters().used_bytes >= times_.bytes) {
    return true;
  }
  if (times_.interval.count() == 0) return false;
  const auto last = delta_.last_seal();
  const auto now = env_.now();
  if (last && *last <= now) return now.seconds - last->seconds >= times_.interval.count();
  return std::chrono::nanoseconds(env_.monotonic_ns() - counted_from_ns_) >= times_.interval;
}

void SealSchedule::run() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kInterval, [this] { return is_ending_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void SealSchedule::look() noexcept {
  try {
    if (is_due()) seal();
  } catch (const std::exception&) {
    // No memory, not even for the error.
  }
}

// Without changes since the newest state it makes no layer, and looks again a little later.
void SealSchedule::seal() {
  const auto sealed = view_.seal({{}, image_path_});
  if (!sealed) return tell(sealed.error());
  if (!sealed.value().outcome) return told_.clear();
  counted_from_ns_ = env_.monotonic_ns();
  if (const auto& unclosed = sealed.value().outcome->unclosed) return tell(*unclosed);
  told_.clear();
}

void SealSchedule::tell(const Error& error) {
  const auto message = error.message();
  if (message == told_) return;
  warn_(error);
  told_ = message;
}

}  // namespace dgfs::fuse
