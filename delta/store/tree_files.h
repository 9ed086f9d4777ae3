// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "delta/store/disk/block_file.h"
#include "delta/store/disk/used_space.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/memory_budget.h"
#include "delta/store/store_options.h"
#include "delta/store/tree/stored.h"

namespace dgfs::delta {

/// The files that hold the tree of a store, with their caches. Thread-safe; outlives everything
/// that refers to blocks or values.
struct TreeFiles {
  /// @param options  divided by divided_memory()
  TreeFiles(std::unique_ptr<storage::File> block_file, std::unique_ptr<storage::File> value_file,
            const StoreOptions& options)
      : cap(options.max_bytes),
        budget(usable_bytes(options.memory_bytes) -
                   std::min(usable_bytes(options.memory_bytes), options.cache_bytes / kKeptShare),
               options.pool),
        cache(options.cache_bytes, &budget, options.pool),
        values(std::move(value_file), options.cache_bytes / kKeptShare, &cap, options.pool),
        blocks(std::move(block_file), "blocks", &cap) {}

  [[nodiscard]] BlockSource source() const { return {&blocks, &cache, &values}; }
  /// End of all blocks plus end of all values.
  [[nodiscard]] std::uint64_t end_bytes() const {
    return blocks.end_bytes() + values.file().end_bytes();
  }
  /// Of all blocks and values.
  [[nodiscard]] std::uint64_t used_bytes() const {
    return blocks.used_bytes() + values.file().used_bytes();
  }
  /// Frees space, and removes it from `space`. If there is no memory for that, it throws
  /// std::bad_alloc, and the rest stays in `space`.
  void give_back(UsedSpace& space) {
    for (auto& all = space.blocks; !all.empty(); all.pop_back()) {
      cache.erase(all.back().offset_bytes);
      blocks.free(all.back());
    }
    for (auto& all = space.values; !all.empty(); all.pop_back()) values.file().free(all.back());
  }
  /// A part of the store holds so much memory now: shrinks caches accordingly.
  void note_memory(MemoryBudget::Holder holder, std::size_t bytes) {
    budget.note(holder, bytes);
    cache.shrink();
  }
  /// Bytes of both files that were moved to make a file shorter.
  [[nodiscard]] std::uint64_t moved_bytes() const {
    return blocks.moved_bytes() + values.file().moved_bytes();
  }

  /// Large values that are kept may take this part of what cached blocks may: little, because the
  /// page cache also has them.
  static constexpr std::size_t kKeptShare = 8;

  SizeCap cap;  ///< of the store
  MemoryBudget budget;
  mutable BlockCache cache;
  ExtentVolume values;
  BlockFile blocks;  ///< of nodes and runs
};

}  // namespace dgfs::delta
