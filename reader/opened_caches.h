// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What ImageCaches are made of: the three caches of an image, or of several.
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

/// Numbers by which the values of one image are known in the caches. A value.
struct CacheNumbers {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  [[nodiscard]] bool has(std::uint64_t number) const { return number - first < count; }
};

/// Three caches, each with a budget of its own. Thread-safe. Values may be destroyed after their
/// image is: they use nothing of it then.
class ImageCaches {
 public:
  ImageCaches(std::size_t page_cache_bytes, std::size_t frame_cache_bytes,
              const std::shared_ptr<CachePool>& pool = nullptr);

  /// Numbers for an image, one for each of its pages and one at least; its contents go by the first
  /// one. Nobody had them before, and nobody will: what a closed image left cannot answer for
  /// another one.
  [[nodiscard]] CacheNumbers reserve(std::size_t page_count);
  /// Frees the values of an image, which must not be in use. Cost: a look at each value that is
  /// here, a shard at a time.
  void drop(const CacheNumbers& numbers);

  // Pages stand apart: contents that pass through must not drive out the index, and a page may
  // change its form while it is cached.
  PageCache pages;
  // Frames are small beside the budget and wanted by many threads, so this cache has shards.
  FrameCache frames;
  // Maps stand apart from frames: each read of a large file needs its map, and the frames of that
  // one file would drive it out. A map may take most of the budget, so this cache has one shard.
  ContentMapCache maps;

 private:
  std::atomic<std::uint64_t> reserved_ = 0;
};

}  // namespace dgfs::reader
