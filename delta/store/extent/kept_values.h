// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeptValues: large values that are read repeatedly, so that they are read from disk and checked
// once. A new value displaces the oldest ones, but no blocks of the tree, because a block serves
// many keys. A value that was read only once, as by a scan, is not kept.
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

/// Thread-safe. A LargeValue finds its bytes here by a weak reference. A value without other
/// references stays until it is displaced.
class KeptValues {
 public:
  /// @param bytes_max  of kept values, whether or not others share them
  /// @param pool       shared with other caches; null: none
  explicit KeptValues(std::size_t bytes_max, std::shared_ptr<CachePool> pool = nullptr)
      : bytes_max_(bytes_max),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {}

  /// Drops the oldest values if there are too many bytes. A value longer than the bound is not
  /// kept.
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
