// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewMemory: one memory budget for a view and all its layers.
#pragma once

#include <cstddef>
#include <memory>

#include "base/cache_pool.h"
#include "delta/store/store_options.h"
#include "delta/view/view_options.h"
#include "reader/open_options.h"

namespace dgfs::view {

/// Bounds, together, index pages and frames of the image, blocks and values of all stores, and
/// composed chunks; the caches that are used most get most of it. The memory that the live store
/// holds outside its caches (StoreOptions::memory_bytes) is a part of it. The bound does not
/// include memory that threads have in hand, the index's page directory, and tables of the view. A
/// value.
class ViewMemory {
 public:
  /// @param bytes  at least 16 MiB
  explicit ViewMemory(std::size_t bytes)
      : bytes_(bytes), pool_(std::make_shared<CachePool>(delta::usable_bytes(bytes))) {}

  // Sets the options of images, stores and views that share it.

  void share_with(reader::OpenOptions& image) const {
    image.caches = reader::make_image_caches(bytes_, bytes_, pool_);
  }
  void share_with(delta::StoreOptions& store) const {
    store.memory_bytes = bytes_;
    store.pool = pool_;
  }
  void share_with(ViewOptions& view) const {
    view.composed_bytes = bytes_;
    view.pool = pool_;
  }

  [[nodiscard]] const CachePool& pool() const { return *pool_; }

 private:
  std::size_t bytes_;
  std::shared_ptr<CachePool> pool_;
};

}  // namespace dgfs::view
