// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "delta/store/disk/block_file.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/store_options.h"
#include "delta/store/tree/stored.h"

namespace dgfs::delta {

/// What the tree of a store lies in, with the caches of it. Thread-safe; outlives whatever refers
/// to blocks or values.
struct TreeFiles {
  /// @param bytes_max  what the store may take of the disk; 0: as much as there is
  TreeFiles(std::unique_ptr<storage::File> block_file, std::unique_ptr<storage::File> value_file,
            std::size_t cache_bytes, std::uint64_t bytes_max = 0)
      : cap(bytes_max),
        cache(cache_bytes),
        values(std::move(value_file), cache_bytes / kKeptShare, &cap),
        blocks(std::move(block_file), "blocks", &cap) {}

  [[nodiscard]] BlockSource source() const { return {&blocks, &cache, &values}; }
  /// Behind all blocks and values.
  [[nodiscard]] std::uint64_t end_bytes() const {
    return blocks.end_bytes() + values.file().end_bytes();
  }
  /// Of both, so that a file gets shorter.
  [[nodiscard]] std::uint64_t moved_bytes() const {
    return blocks.moved_bytes() + values.file().moved_bytes();
  }

  /// Large values that are kept may take this part of what blocks may: little, as the page cache
  /// has them, too.
  static constexpr std::size_t kKeptShare = 8;

  SizeCap cap;  ///< of the store
  mutable BlockCache cache;
  ExtentVolume values;
  BlockFile blocks;  ///< of nodes and runs
};

}  // namespace dgfs::delta
