// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SizeCap: how much of the disk a store may take. Its files ask it before they get longer, and tell
// it when they have got shorter. Beyond it they find no space, as on a full disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace dgfs::delta {

/// Thread-safe. Its lock is the innermost; nothing waits under it.
class SizeCap {
 public:
  /// @param bytes_max  0: as much as there is
  explicit SizeCap(std::uint64_t bytes_max = 0) : bytes_max_(bytes_max) {}

  /// False, and nothing is taken, where it would be more than may be.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > left()) return false;
    taken_bytes_ += bytes;
    return true;
  }
  /// What the disk has already: counted, however much it is. So a store that is opened with less
  /// than it has may get shorter alone.
  void note(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_bytes_ += bytes;
  }
  void give_back(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_bytes_ -= bytes;
  }

  /// 0: there is no cap.
  [[nodiscard]] std::uint64_t bytes_max() const { return bytes_max_; }
  [[nodiscard]] std::uint64_t taken_bytes() const {
    const std::lock_guard lock(mutex_);
    return taken_bytes_;
  }
  /// UINT64_MAX, about, where there is no cap.
  [[nodiscard]] std::uint64_t left_bytes() const {
    const std::lock_guard lock(mutex_);
    return left();
  }

 private:
  [[nodiscard]] std::uint64_t left() const {
    const auto bytes_max = bytes_max_ == 0 ? UINT64_MAX : bytes_max_;
    return bytes_max - std::min(bytes_max, taken_bytes_);
  }

  const std::uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::uint64_t taken_bytes_ = 0;
};

}  // namespace dgfs::delta
