// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SizeCap: bounds the disk space of a store. Its files ask before they grow, and report when they
// have shrunk. At the cap they find no space, as on a full disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace dgfs::delta {

/// Thread-safe. Its lock is the innermost; no call waits under it.
class SizeCap {
 public:
  /// @param bytes_max  0: no cap
  explicit SizeCap(std::uint64_t bytes_max = 0) : bytes_max_(bytes_max) {}

  /// False, and nothing is taken, if the cap would be exceeded.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > left()) return false;
    taken_bytes_ += bytes;
    return true;
  }
  /// Counts space that is on disk already, even beyond the cap. A store that is opened with a cap
  /// below its size can only get shorter.
  void note(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_bytes_ += bytes;
  }
  void give_back(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_bytes_ -= bytes;
  }

  /// 0: there is no cap.
  [[nodiscard]] std::uint64_t bytes_max() const {
    const std::lock_guard lock(mutex_);
    return bytes_max_;
  }
  void set_bytes_max(std::uint64_t bytes_max) {
    const std::lock_guard lock(mutex_);
    bytes_max_ = bytes_max;
  }
  [[nodiscard]] std::uint64_t taken_bytes() const {
    const std::lock_guard lock(mutex_);
    return taken_bytes_;
  }
  /// Bytes that were taken beyond the cap.
  [[nodiscard]] std::uint64_t excess_bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_max_ == 0 ? 0 : taken_bytes_ - std::min(taken_bytes_, bytes_max_);
  }
  /// Roughly UINT64_MAX if there is no cap.
  [[nodiscard]] std::uint64_t left_bytes() const {
    const std::lock_guard lock(mutex_);
    return left();
  }

 private:
  [[nodiscard]] std::uint64_t left() const {
    const auto bytes_max = bytes_max_ == 0 ? UINT64_MAX : bytes_max_;
    return bytes_max - std::min(bytes_max, taken_bytes_);
  }

  mutable std::mutex mutex_;
  std::uint64_t bytes_max_;
  std::uint64_t taken_bytes_ = 0;
};

}  // namespace dgfs::delta
