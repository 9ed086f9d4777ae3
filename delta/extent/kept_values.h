// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeptValues: large values that are asked for again and again, so that they are read and checked
// once. Those that were read once only, as by a scan, are not among them; nor do they make room for
// anything but each other, as a block of the tree serves many keys.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace dgfs::delta {

/// Shared by the levels that a value passes through, so that it is moved and not copied.
using ValueRef = std::shared_ptr<const std::string>;

/// Thread-safe. Whoever wants one back has a weak reference to it (LargeValue).
class KeptValues {
 public:
  /// @param bytes_max  of what is kept; what others hold besides does not count
  explicit KeptValues(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// The oldest go where there would be too much.
  void keep(ValueRef value);
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::deque<ValueRef> values_;  ///< the oldest first
};

}  // namespace dgfs::delta
