// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cache_pool.h"

namespace dgfs::view {

/// How a view works. A value.
struct ViewOptions {
  /// Numbers that a directory gets at once for what is made in it; 1 or more.
  std::uint64_t numbers_of_directory = 16;
  /// Numbers that are reserved at once, durably; 1 or more.
  std::uint64_t numbers_reserved = 65536;
  /// Of chunks that were put together of patches and what lies below them; 0: none is kept.
  std::size_t composed_bytes = std::size_t{32} << 20;
  /// That these are in together with other caches; null: none.
  std::shared_ptr<CachePool> pool = nullptr;
};

}  // namespace dgfs::view
