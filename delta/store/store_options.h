// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cache_pool.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/filter/prefix_filter.h"

namespace dgfs::delta {

/// What a caller may do with an open store.
enum class StoreAccess : std::uint8_t {
  kReadWrite,
  kReadOnly,  ///< together with other readers; changes nothing on disk
};

/// How a store is opened. A value.
struct StoreOptions {
  StoreAccess access = StoreAccess::kReadWrite;
  bool create = false;         ///< makes a store if there is none, unless kReadOnly
  StoreParameters parameters;  ///< of a store that is made
  std::uint64_t sequence = 0;  ///< of a store that is made: the last batch of the stores below it
  /// Opens also a copy that was taken while a process had the store open for writing, as far as it
  /// goes. For the repair of such a copy.
  bool accepts_torn_copy = false;
  /// Bounds all memory of the store together: tables, unwritten blocks of the tree, runs of a merge
  /// that is under way, unbound large values, the filter, maps of free space, and caches. A process
  /// that has called give_back_freed_memory() stays within 1.1 times this plus 32 MiB. The bound
  /// does not include tables and blocks that snapshots and cursors keep alive, a batch or a value
  /// of many megabytes, and the part of filter and maps beyond a quarter of it. Use at least 16
  /// MiB.
  std::size_t memory_bytes = std::size_t{256} << 20;
  /// Stands for a part's share of `memory_bytes`, which divided_memory() computes.
  static constexpr std::size_t kShare = SIZE_MAX;
  /// Bounds the cache of blocks; the cache is smaller while other parts leave less. Large values
  /// that are read repeatedly may take an eighth of this in addition.
  std::size_t cache_bytes = kShare;
  std::size_t table_bytes = kShare;  ///< of changes that wait for the tree
  std::size_t dirty_bytes = kShare;  ///< of unwritten blocks of the tree
  /// Less free space than this in a file is not given back to the disk, and does not start
  /// cleaning.
  std::size_t spare_bytes = std::size_t{1} << 20;
  /// Free stretches between blocks that are shorter than this are not given back to the disk.
  std::size_t punch_bytes = std::size_t{1} << 20;
  /// In a store with threads: after this time a checkpoint frees the space that batches have
  /// reported as dead (Batch::note_dead), if that is at least `spare_bytes`. In a store without
  /// threads the next checkpoint does it.
  std::chrono::milliseconds dead_interval{2000};
  /// Capacity of the first stage of the filter that answers Store::may_have().
  std::size_t filter_prefixes = PrefixFilter::kFirstCapacity;
  int level = 1;  ///< zstd level for blocks of the tree; 0: not compressed
  /// The most that all files of the store may take of the disk, with the reserve. At this bound the
  /// store behaves as on a full disk. A store that takes more already can only get shorter. 0: no
  /// cap.
  std::uint64_t max_bytes = 0;
  /// Whether threads maintain the store, and make batches durable after `commit_interval`, once
  /// Store::start() has been called. Without threads writers do the maintenance, at moments that
  /// depend only on what they write, and only sync() makes batches durable.
  bool in_background = false;
  /// How much time of unsynced changes a crash may lose. 0: each batch is durable before apply()
  /// returns, with threads or without.
  std::chrono::milliseconds commit_interval{1000};
  /// Of a store that is only read: large values are read past the page cache.
  bool values_past_page_cache = false;
  /// One budget for the caches of several stores and for other caches. Memory that a store holds
  /// outside its caches is taken from it. Null: only the store's own bounds apply.
  std::shared_ptr<CachePool> pool = nullptr;
};

/// With less memory a store could not keep the nodes of a merge in its cache.
inline constexpr std::size_t kLeastMemoryBytes = std::size_t{1} << 20;
/// The part of its memory that a store divides among its parts. The C library loses the rest to
/// fragmentation.
[[nodiscard]] constexpr std::size_t usable_bytes(std::size_t memory_bytes) {
  return memory_bytes - memory_bytes / 8;
}
/// Replaces each kShare by a number of bytes. Tables get an eighth: twice as much may wait, and a
/// merge has as much in hand as waits. Unwritten blocks of the tree get an eighth, and a push has
/// as much in hand. The cache gets what all of these leave.
[[nodiscard]] inline StoreOptions divided_memory(StoreOptions options) {
  options.memory_bytes = std::max(options.memory_bytes, kLeastMemoryBytes);
  const auto bytes = usable_bytes(options.memory_bytes);
  const auto set = [](std::size_t& part, std::size_t part_bytes) {
    if (part == StoreOptions::kShare) part = part_bytes;
  };
  set(options.table_bytes, bytes / 8);
  set(options.dirty_bytes, bytes / 8);
  set(options.cache_bytes, bytes - bytes / 8);
  return options;
}

/// While a thread moves tables into the tree, so many times `table_bytes` may wait.
inline constexpr std::uint64_t kPatience = 2;
/// Waiting tables go into the tree in at most this many slices.
inline constexpr std::uint64_t kSlicesMax = 8;
/// A group of the log takes at most this part of a segment, and a batch at most this part of a
/// group.
inline constexpr std::uint64_t kGroupShare = 4;

}  // namespace dgfs::delta
