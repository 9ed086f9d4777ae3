// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CleaningPace: how much of the ends of its files a store cleans at a time, and how often. Cleaning
// that costs much more than it gives back, as a cursor keeps what lies there, or as that belongs to
// leaves all over the tree, is tried again after twice as many checkpoints as the last time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dgfs::delta {

/// For one thread.
class CleaningPace {
 public:
  /// A checkpoint is being made. Whether it may clean.
  /// @param end_bytes  of all blocks and values
  [[nodiscard]] bool is_due(std::uint64_t end_bytes) {
    if (has_cleaned_) {
      const auto gain = end_bytes_ - std::min(end_bytes_, end_bytes);
      const bool was_worth_it = gain > 0 && gain >= cost_bytes_ / kCostByGain;
      pause_ = was_worth_it ? 0 : std::min(2 * pause_ + 1, kPauseMax);
      left_ = pause_;
      has_cleaned_ = false;
    }
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  /// Of `bytes`, which may be cleaned at a time, those that are likely to be: a file gets shorter
  /// only if all that lies at its end has moved.
  [[nodiscard]] std::uint64_t window_bytes(std::uint64_t bytes) const {
    return std::max(bytes >> narrowed_, std::min(bytes, kWindowBytesMin));
  }
  /// How many times window_bytes() halves what may be cleaned.
  [[nodiscard]] unsigned narrowed() const { return narrowed_; }
  /// @param end_bytes   before it
  /// @param cost_bytes  that were written and read for it
  /// @param is_cut_off  it had moved, and made anew, as much as it may before it came to the end
  void note_cleaning(std::uint64_t end_bytes, std::uint64_t cost_bytes, bool is_cut_off) {
    has_cleaned_ = true;
    end_bytes_ = end_bytes;
    cost_bytes_ = cost_bytes;
    if (is_cut_off) {
      narrowed_ = std::min(narrowed_ + 1, kNarrowedMax);
    } else if (narrowed_ > 0) {
      --narrowed_;
    }
  }

 private:
  static constexpr unsigned kPauseMax = 63;
  static constexpr unsigned kNarrowedMax = 12;
  static constexpr std::uint64_t kCostByGain = 8;
  static constexpr std::uint64_t kWindowBytesMin = std::uint64_t{16} << 10;

  unsigned pause_ = 0;  ///< in checkpoints
  unsigned left_ = 0;
  unsigned narrowed_ = 0;
  bool has_cleaned_ = false;
  std::uint64_t end_bytes_ = 0;
  std::uint64_t cost_bytes_ = 0;
};

}  // namespace dgfs::delta
