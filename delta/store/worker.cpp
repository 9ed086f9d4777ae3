// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/worker.h"

#include <exception>
#include <utility>

namespace dgfs::delta {

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Status Worker::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {
    return Error(ErrorKind::kLimit, 7090, "cannot start a thread");
  }
  return ok();
}

void Worker::notify() {
  {
    const std::lock_guard lock(mutex_);
    is_due_ = true;
  }
  wake_.notify_one();
}

void Worker::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_finishing_ = true;
  }
  wake_.notify_one();
}

// Drops errors: a writer that finds no room because of one repeats the work, and gets the error
// itself.
void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto is_called = [this] { return is_due_ || is_finishing_ || is_ending_; };
    if (interval_) {
      wake_.wait_for(lock, *interval_, is_called);
    } else {
      wake_.wait(lock, is_called);
    }
    if (is_ending_ || (is_finishing_ && !is_due_)) return;
    const auto call = std::exchange(is_due_, false) ? Call::kNotified : Call::kInterval;
    lock.unlock();
    try {
      static_cast<void>(work_(call));
    } catch (const std::exception&) {  // no memory: the writer will need some, too
    }
    lock.lock();
  }
}

}  // namespace dgfs::delta
