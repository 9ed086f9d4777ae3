// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The stop flag of a build, polled between pieces of work.
#pragma once

#include <atomic>

#include "base/result.h"

namespace dgfs::builder {

/// A view of BuildOptions::stop. Copyable; thread-safe.
class StopFlag {
 public:
  explicit StopFlag(const std::atomic<bool>* flag = nullptr) : flag_(flag) {}

  [[nodiscard]] const std::atomic<bool>* flag() const { return flag_; }
  [[nodiscard]] bool is_set() const {
    return flag_ != nullptr && flag_->load(std::memory_order_relaxed);
  }
  /// kInterrupted if the flag is set.
  [[nodiscard]] Status check() const {
    if (!is_set()) return ok();
    return Error(ErrorKind::kInterrupted, 4000, "interrupted");
  }

 private:
  const std::atomic<bool>* flag_;
};

}  // namespace dgfs::builder
