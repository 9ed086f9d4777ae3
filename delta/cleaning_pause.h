// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CleaningPause: cleaning that has not made the files of a store shorter, as a cursor keeps what
// lies at their ends, or as no stretch is long enough for it, is tried again after twice as many
// checkpoints as the last time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dgfs::delta {

/// For one thread.
class CleaningPause {
 public:
  /// A checkpoint is being made. Whether it may clean.
  /// @param end_bytes  of all blocks and values
  [[nodiscard]] bool is_over(std::uint64_t end_bytes) {
    if (has_cleaned_) {
      length_ = end_bytes < end_bytes_ ? 0 : std::min(2 * length_ + 1, kLengthMax);
      left_ = length_;
      has_cleaned_ = false;
    }
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  /// It has cleaned, or tried to.
  void note_cleaning(std::uint64_t end_bytes) {
    has_cleaned_ = true;
    end_bytes_ = end_bytes;
  }

 private:
  static constexpr unsigned kLengthMax = 63;

  unsigned length_ = 0;  ///< in checkpoints
  unsigned left_ = 0;
  bool has_cleaned_ = false;
  std::uint64_t end_bytes_ = 0;
};

}  // namespace dgfs::delta
