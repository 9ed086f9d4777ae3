// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImageCaches: one budget of memory for several images.
#pragma once

#include <cstddef>
#include <memory>

namespace dgfs {
class CachePool;
}

namespace dgfs::reader {

/// Caches of pages and contents, for OpenOptions::caches. All their images compete for the same
/// room: values in use stay, and unused values of any image are evicted. A closed image gives back
/// its part at once. Thread-safe; each image opened with them shares ownership.
class ImageCaches;

/// Makes empty caches. They take memory as images read.
/// @param page_cache_bytes   as OpenOptions::page_cache_bytes, but for all images together
/// @param frame_cache_bytes  as OpenOptions::frame_cache_bytes, but for all images together
/// @param pool               budget shared with other caches, which can leave these caches less
///                           room; null: none
[[nodiscard]] std::shared_ptr<ImageCaches> make_image_caches(
    std::size_t page_cache_bytes, std::size_t frame_cache_bytes,
    const std::shared_ptr<CachePool>& pool = nullptr);

}  // namespace dgfs::reader
