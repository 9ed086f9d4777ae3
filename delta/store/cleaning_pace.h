// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CleaningPace: how much of the ends of its files a store cleans at once, and how often. A cleaning
// may cost much more than it gives back, for instance because a cursor keeps the data there, or
// because the data belongs to leaves all over the tree. After such a cleaning the store waits for
// twice as many checkpoints as the time before.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dgfs::delta {

/// For one thread.
class CleaningPace {
 public:
  /// Call it once in each checkpoint. Returns whether this checkpoint may clean.
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
  /// The part of `bytes` that one cleaning is likely to move completely: a file gets shorter only
  /// if everything at its end has moved.
  [[nodiscard]] std::uint64_t window_bytes(std::uint64_t bytes) const {
    return std::max(bytes >> narrowed_, std::min(bytes, kWindowBytesMin));
  }
  /// How often window_bytes() halves its argument.
  [[nodiscard]] unsigned narrowed() const { return narrowed_; }
  /// @param end_bytes   before the cleaning
  /// @param cost_bytes  written and read for it
  /// @param is_cut_off  the cleaning reached its limit of moved and rewritten bytes before the end
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
