// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeptValues: large values that are asked for again and again, so that they are read and checked
// once. They push out each other, the oldest first, and no blocks of the tree, each of which serves
// many keys. What was read once only, as by a single scan, is not among them.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "delta/store/extent/value_slice.h"

namespace dgfs::delta {

/// Thread-safe. Whoever wants a value back has a weak reference to it (LargeValue); one that nobody
/// has any more stays until its turn comes.
class KeptValues {
 public:
  /// @param bytes_max  of what is kept; what others hold besides does not count
  explicit KeptValues(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// The oldest go where there would be too much; one that is longer than all may be is not kept.
  void keep(ValueRef value);
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<ValueRef> values_;  ///< the oldest first
};

}  // namespace dgfs::delta
