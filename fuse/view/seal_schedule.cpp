// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/seal_schedule.h"

#include <algorithm>
#include <exception>
#include <system_error>
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
      mounted_at_(env.now()) {}

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
  } catch (const std::system_error& failure) {
    return Error(ErrorKind::kLimit, 5091, "cannot start a thread")
        .with_errno(failure.code().value());
  }
  return ok();
}

bool SealSchedule::is_due() const {
  if (times_.bytes != 0 && delta_.newest_store()->counters().used_bytes >= times_.bytes) {
    return true;
  }
  if (times_.interval.count() == 0) return false;
  Time last = mounted_at_;
  for (const auto& store : delta_.present_manifest().stores) {
    last = std::max(last, store.layer.sealed_at);
  }
  return env_.now().seconds - last.seconds >= times_.interval.count();
}

void SealSchedule::run() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kInterval, [this] { return is_ending_; })) {
    lock.unlock();
    if (is_due()) seal();
    lock.lock();
  }
}

// Without changes since the newest state it makes no layer, and looks again a little later.
void SealSchedule::seal() {
  try {
    const auto sealed = view_.seal({{}, image_path_});
    if (sealed) {
      told_.clear();
    } else if (const auto message = sealed.error().message(); message != told_) {
      warn_(sealed.error());
      told_ = message;
    }
  } catch (const std::exception&) {
    // No memory, not even for the error.
  }
}

}  // namespace dgfs::fuse
