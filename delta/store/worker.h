// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Worker: a thread that does a piece of work when it is told that there may be some, or when some
// time has passed. It has no queue, so it is no pool: being told twice means no more than once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"

namespace dgfs::delta {

class Worker {
 public:
  /// Why it works.
  enum class Call : std::uint8_t {
    kNotified,
    kInterval,  ///< nobody has told it to for so long
  };
  using Work = std::function<Status(Call)>;
  using Interval = std::optional<std::chrono::milliseconds>;

  /// @param work      is called by the thread, never twice at once; whoever waits for what it does
  ///                  finds out elsewhere whether it went well
  /// @param interval  after which it works without being told; none: never
  explicit Worker(Work work, Interval interval = std::nullopt)
      : work_(std::move(work)), interval_(interval) {}
  /// Waits for the end of a call that is under way.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Errors: kLimit (no thread to be had).
  [[nodiscard]] Status start();
  /// There may be something to do. Thread-safe; does not wait.
  void notify();

 private:
  void run();

  Work work_;
  Interval interval_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_due_ = false;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace dgfs::delta
