// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveSlot: one merge or join of a mounted delta at a time. Both replace layers of the same stack.
#pragma once

#include <atomic>

namespace dgfs::merge {

/// Thread-safe.
class LiveSlot {
 public:
  /// Returns whether it was free; then it is the caller's until release().
  [[nodiscard]] bool take() { return !is_taken_.exchange(true); }
  void release() { is_taken_ = false; }

 private:
  std::atomic<bool> is_taken_ = false;
};

/// Takes a slot, and releases it at its end unless it is to be kept. For one thread.
class SlotHold {
 public:
  /// @param slot  null: there is none, and it is always free. Must outlive this
  explicit SlotHold(LiveSlot* slot) : slot_(slot) {}
  ~SlotHold() {
    if (is_taken_ && slot_ != nullptr) slot_->release();
  }
  SlotHold(const SlotHold&) = delete;
  SlotHold& operator=(const SlotHold&) = delete;

  /// Returns whether it was free.
  [[nodiscard]] bool take() {
    is_taken_ = slot_ == nullptr || slot_->take();
    return is_taken_;
  }
  /// Whoever has it from now on releases it.
  void keep() { is_taken_ = false; }

 private:
  LiveSlot* slot_;
  bool is_taken_ = false;
};

}  // namespace dgfs::merge
