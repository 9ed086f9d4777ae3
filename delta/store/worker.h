// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Worker: a thread that works when it is notified, or after an interval. It has no queue and is no
// pool: two notifications may result in one call.
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
  /// Why the thread works.
  enum class Call : std::uint8_t {
    kNotified,
    kInterval,  ///< no notification came for this long
  };
  using Work = std::function<Status(Call)>;
  using Interval = std::optional<std::chrono::milliseconds>;

  /// @param work      called by the thread, never twice at once; its result is dropped, so callers
  ///                  find out elsewhere whether it succeeded
  /// @param interval  after which it works without a notification; none: never
  explicit Worker(Work work, Interval interval = std::nullopt)
      : work_(std::move(work)), interval_(interval) {}
  /// Waits for a call that is under way.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Errors: kLimit (no thread available).
  [[nodiscard]] Status start();
  /// Tells the thread that there may be work. Thread-safe; does not wait.
  void notify();
  /// Tells the thread to end as soon as there is no work. Thread-safe; does not wait.
  void finish();

 private:
  void run();

  Work work_;
  Interval interval_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_due_ = false;
  bool is_finishing_ = false;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace dgfs::delta
