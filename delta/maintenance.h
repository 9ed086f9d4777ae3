// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Maintenance: the thread that moves tables into the tree and makes checkpoints, so that writers
// need not.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/result.h"

namespace dgfs::delta {

/// Calls one function, on a thread of its own, whenever there may be something to do.
class Maintenance {
 public:
  /// @param work  is called by the thread, never twice at once; whoever waits for what it does
  ///              finds out from the store whether it went well
  explicit Maintenance(std::function<Status()> work) : work_(std::move(work)) {}
  /// Waits for the end of a call that is under way.
  ~Maintenance();
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  /// Errors: kLimit (no thread to be had).
  [[nodiscard]] Status start();
  /// There may be something to do. Thread-safe; does not wait.
  void notify();

 private:
  void run();

  std::function<Status()> work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_due_ = false;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace dgfs::delta
