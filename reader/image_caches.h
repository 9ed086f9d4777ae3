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

/// Caches of pages and contents, for OpenOptions::caches. What is used of all their images stays,
/// what is not makes room for it, whichever image it is of. An image that is closed gives back its
/// part at once. Thread-safe; who opens an image with them shares in owning them.
class ImageCaches;

/// Empty ones. They take memory as images read.
/// @param page_cache_bytes   as OpenOptions::page_cache_bytes, but of all images together
/// @param frame_cache_bytes  likewise
/// @param pool               that also other caches are in, which leaves them less; null: none
[[nodiscard]] std::shared_ptr<ImageCaches> make_image_caches(
    std::size_t page_cache_bytes, std::size_t frame_cache_bytes,
    const std::shared_ptr<CachePool>& pool = nullptr);

}  // namespace dgfs::reader
