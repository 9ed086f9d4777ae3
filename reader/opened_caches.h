// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Definition of ImageCaches: the three caches of one image or several.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cache_pool.h"
#include "reader/content/map.h"
#include "reader/image_caches.h"
#include "reader/index/page_cache.h"

namespace dgfs::reader {

/// Range of numbers that identify the values of one image in the caches. A value.
struct CacheNumbers {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  [[nodiscard]] bool has(std::uint64_t number) const { return number - first < count; }
};

/// Three caches, each with its own budget. Thread-safe. Values may outlive their image; their
/// destructors use nothing of it.
class ImageCaches {
 public:
  ImageCaches(std::size_t page_cache_bytes, std::size_t frame_cache_bytes,
              const std::shared_ptr<CachePool>& pool = nullptr);

  /// Reserves numbers for an image, one for each of its pages and at least one. Frames and maps use
  /// the first number. A number is never used again, so a value left by a closed image cannot be
  /// taken for a value of another image.
  [[nodiscard]] CacheNumbers reserve(std::size_t page_count);
  /// Frees the values of an image, which must not be in use. Cost: visits each cached value, one
  /// shard after the other.
  void drop(const CacheNumbers& numbers);

  // Pages have their own cache: contents must not evict the index, and a page may change its form
  // while it is cached.
  PageCache pages;
  // Frames are small compared with the budget and many threads use them, so this cache has shards.
  FrameCache frames;
  // Maps have their own cache: each read of a large file needs its map, and the frames of that file
  // would evict it. A map may take most of the budget, so this cache has one shard.
  ContentMapCache maps;

 private:
  std::atomic<std::uint64_t> reserved_ = 0;
};

}  // namespace dgfs::reader
