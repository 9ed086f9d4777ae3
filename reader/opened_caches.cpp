// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/opened_caches.h"

#include <algorithm>
#include <memory>

namespace dgfs::reader {
namespace {

constexpr std::size_t kFrameShardsMax = 8;

}  // namespace

ImageCaches::ImageCaches(std::size_t page_cache_bytes, std::size_t frame_cache_bytes,
                         const std::shared_ptr<CachePool>& pool)
    : pages(page_cache_bytes, pool),
      frames(frame_cache_bytes, kFrameShardsMax, 0, pool),
      maps(frame_cache_bytes, 1, 0, pool) {}

CacheNumbers ImageCaches::reserve(std::size_t page_count) {
  const std::uint64_t count = std::max<std::size_t>(page_count, 1);
  return {reserved_.fetch_add(count, std::memory_order_relaxed), count};
}

void ImageCaches::drop(const CacheNumbers& numbers) {
  const auto is_of_image = [&](const ContentKey& key) { return numbers.has(key.image); };
  pages.values.drop([&](std::uint64_t number) { return numbers.has(number); });
  frames.drop(is_of_image);
  maps.drop(is_of_image);
}

std::shared_ptr<ImageCaches> make_image_caches(std::size_t page_cache_bytes,
                                               std::size_t frame_cache_bytes,
                                               const std::shared_ptr<CachePool>& pool) {
  return std::make_shared<ImageCaches>(page_cache_bytes, frame_cache_bytes, pool);
}

}  // namespace dgfs::reader
