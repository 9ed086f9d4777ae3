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
#include <utility>

#include "base/cache_pool.h"
#include "delta/store/extent/value_slice.h"

namespace dgfs::delta {

/// Thread-safe. Whoever wants a value back has a weak reference to it (LargeValue); one that nobody
/// has any more stays until its turn comes.
class KeptValues {
 public:
  /// @param bytes_max  of what is kept; what others hold besides does not count
  /// @param pool       that also other caches are in; null: none
  explicit KeptValues(std::size_t bytes_max, std::shared_ptr<CachePool> pool = nullptr)
      : bytes_max_(bytes_max),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {}

  /// The oldest go where there would be too much; one that is longer than all may be is not kept.
  void keep(ValueRef value);
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  using Values = std::list<ValueRef>;
  [[nodiscard]] std::size_t give_up(std::size_t bytes);
  void drop_above(std::size_t bytes_max, Values& dropped);

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  Values values_;  ///< the oldest first
  CachePool::Share share_;
};

}  // namespace dgfs::delta
