// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Generations: the present generation of a view, and the gate between its writers and a switch to
// the next one.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "delta/view/generation.h"

namespace dgfs::view {

/// Thread-safe. The gate comes after the locks of objects and before those of the stores; no I/O
/// under it.
class Generations {
 public:
  explicit Generations(GenerationRef first) : live_(&first->live()), current_(std::move(first)) {}

  [[nodiscard]] GenerationRef current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  /// Keeps the stack from being switched. For one thread, and for a moment.
  using Pass = std::shared_lock<std::shared_mutex>;
  /// Call it before a batch is applied to the live store of a generation. none: another store is
  /// written to by now, so a batch that was decided on this generation must be decided again.
  [[nodiscard]] std::optional<Pass> pass(const Generation& generation) {
    if (is_closing_) {  // a switch must not wait for writers that came after it
      const std::lock_guard turn(turn_);
    }
    Pass pass(gate_);
    if (live_ != &generation.live()) return std::nullopt;
    return pass;
  }
  /// Makes another generation the current one, between two batches of writers.
  /// @param make  returns it, or null to keep the current one; makes no I/O call, and does not wait
  template <class Make>
  void change(const Make& make) {
    const std::lock_guard turn(turn_);
    is_closing_ = true;
    GenerationRef before;  // ends without the locks
    {
      const std::unique_lock closed(gate_);
      is_closing_ = false;
      if (GenerationRef next = make()) {
        live_ = &next->live();
        const std::lock_guard lock(mutex_);
        before = std::exchange(current_, std::move(next));
      }
    }
  }

 private:
  std::mutex turn_;  ///< of a call that closes the gate; before gate_
  std::atomic<bool> is_closing_ = false;
  std::shared_mutex gate_;
  std::atomic<const delta::Store*> live_;
  mutable std::mutex mutex_;  ///< innermost; guards current_
  GenerationRef current_;
};

}  // namespace dgfs::view
