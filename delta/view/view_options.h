// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cache_pool.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// How a view works. A value.
struct ViewOptions {
  /// Consecutive numbers that a directory gets at once for its new objects; at least 1.
  std::uint64_t numbers_of_directory = 16;
  /// Numbers that are durably reserved at once; at least 1.
  std::uint64_t numbers_reserved = 65536;
  /// Bounds the cache of composed chunks; 0: no cache.
  std::size_t composed_bytes = std::size_t{32} << 20;
  /// Objects without a name that another view of the delta still uses, to read them here, too. Only
  /// for a view that changes nothing.
  std::vector<Orphan> orphans = {};
  /// Shared by that cache and other caches; null: none.
  std::shared_ptr<CachePool> pool = nullptr;
};

}  // namespace dgfs::view
