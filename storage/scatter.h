// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A list of buffers that is filled from front to back.
#pragma once

#include <sys/uio.h>

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <span>

#include "base/bytes.h"

namespace dgfs::storage {

/// Longest list that one read takes (IOV_MAX of Linux).
inline constexpr std::size_t kScatterSpansMax = 1024;

/// Room in all of them together, in bytes.
[[nodiscard]] std::size_t total_size(std::span<const MutableBytes> outs) noexcept;
/// Length of all of them together, in bytes.
[[nodiscard]] std::size_t total_size(std::span<const Bytes> parts) noexcept;

/// The unfilled rest of a list of buffers, in the form that preadv(2) takes. Not thread-safe. The
/// caller owns the buffers.
class Scatter {
 public:
  explicit Scatter(std::span<const MutableBytes> outs);

  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] bool empty() const noexcept { return size_bytes_ == 0; }
  [[nodiscard]] const iovec* data() const noexcept { return vectors_.data() + first_; }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(vectors_.size() - first_); }
  /// Whether each buffer begins and ends on a multiple of `alignment` (a power of two).
  [[nodiscard]] bool aligned_to(std::size_t alignment) const noexcept;

  /// Counts the next `count` bytes as filled.
  void advance(std::size_t count) noexcept;
  /// Fills the next bytes with `data` (at most size_bytes() of it).
  void fill(Bytes data) noexcept;

 private:
  // Holds the spans of one mebibyte of a raw file without an allocation.
  boost::container::small_vector<iovec, 32> vectors_;
  std::size_t first_ = 0;
  std::size_t size_bytes_ = 0;
};

}  // namespace dgfs::storage
