// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The stop flag of a long walk over the tree, polled between its steps.
#pragma once

#include <atomic>

#include "base/result.h"

namespace dgfs::view {

/// As builder::StopFlag, which this layer does not know. Copyable; thread-safe.
class StopFlag {
 public:
  /// @param flag  must outlive the object; null: nothing stops the walk
  explicit StopFlag(const std::atomic<bool>* flag = nullptr) : flag_(flag) {}

  /// kInterrupted if the flag is set.
  [[nodiscard]] Status check() const {
    if (flag_ == nullptr || !flag_->load(std::memory_order_relaxed)) return ok();
    return Error(ErrorKind::kInterrupted, 7638, "interrupted");
  }

 private:
  const std::atomic<bool>* flag_;
};

}  // namespace dgfs::view
