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

/// What may be done with a store that is opened.
enum class StoreAccess : std::uint8_t {
  kReadWrite,
  kReadOnly,  ///< beside others who ask for no more; nothing on disk is changed
};

/// How a store is opened. A value.
struct StoreOptions {
  StoreAccess access = StoreAccess::kReadWrite;
  bool create = false;         ///< makes one where there is none, unless for reading alone
  StoreParameters parameters;  ///< of one that is made
  std::uint64_t sequence = 0;  ///< of one that is made: the last that stores below it have
  /// Bounds all memory of the store together: tables, unwritten blocks of the tree, runs that a
  /// merge has in hand, unbound large values, the filter, maps of free space, and caches. A process
  /// that has called give_back_freed_memory() stays within 1.1 times this, and 32 MiB. The bound
  /// does not count tables and blocks that snapshots and cursors keep alive, nor a batch or a value
  /// of many megabytes, nor filter and maps beyond a quarter of it. Use 16 MiB at least.
  std::size_t memory_bytes = std::size_t{256} << 20;
  /// Stands for a part's share of it, which divided_memory() computes.
  static constexpr std::size_t kShare = SIZE_MAX;
  /// Bounds the cache of blocks, which is smaller while other parts leave less; large values that
  /// are read again and again have an eighth of this besides.
  std::size_t cache_bytes = kShare;
  std::size_t table_bytes = kShare;  ///< of changes that wait for the tree
  std::size_t dirty_bytes = kShare;  ///< of the tree, not written yet
  /// Of free space in a file; less is not given back to the disk, and not worth cleaning.
  std::size_t spare_bytes = std::size_t{1} << 20;
  /// Of free space between blocks of a file; shorter stretches are not given back to the disk.
  std::size_t punch_bytes = std::size_t{1} << 20;
  /// After which what batches have said to be dead (Batch::note_dead) is freed by a checkpoint, if
  /// it comes to `spare_bytes`. Of a store with threads; without them the next one does it.
  std::chrono::milliseconds dead_interval{2000};
  /// Of the first stage of the filter that answers Store::may_have().
  std::size_t filter_prefixes = PrefixFilter::kFirstCapacity;
  int level = 1;  ///< zstd's, of blocks of the tree; 0: they are not compressed
  /// What the store may take of the disk: all of its files, with what is in reserve. Beyond it the
  /// disk is full. One that has more already may get shorter alone. 0: no cap.
  std::uint64_t max_bytes = 0;
  /// Threads maintain the store, and make durable what is as old as `commit_interval`, once
  /// Store::start() has been called. Without them writers do the first, at moments that depend on
  /// what they write alone, and sync() the second.
  bool in_background = false;
  /// What a crash may cost those who do not sync. 0: each batch is durable before apply() returns,
  /// with threads or without.
  std::chrono::milliseconds commit_interval{1000};
  /// One budget of the caches of several stores, and of others. Memory that a store holds beside
  /// its caches leaves it less. Null: the store's own bounds alone count.
  std::shared_ptr<CachePool> pool = nullptr;
};

/// A store with less could hold no nodes while it merges.
inline constexpr std::size_t kLeastMemoryBytes = std::size_t{1} << 20;
/// The parts of a store share so much of its memory. The C library loses the rest between the
/// pieces that it gives out.
[[nodiscard]] constexpr std::size_t usable_bytes(std::size_t memory_bytes) {
  return memory_bytes - memory_bytes / 8;
}
/// Returns the options with a number for each part that stands for its share. Tables have an
/// eighth: twice as much may wait, and a merge has as much as waits in hand. Unwritten blocks of
/// the tree have an eighth, and a push has as much in hand. The cache has what all of these leave.
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

/// How many times the bytes of the tables may wait while a thread moves them into the tree.
inline constexpr std::uint64_t kPatience = 2;
/// Pieces in which tables go into the tree, at most.
inline constexpr std::uint64_t kSlicesMax = 8;
/// A group of the log is at most this part of a segment, and a batch this part of a group.
inline constexpr std::uint64_t kGroupShare = 4;

}  // namespace dgfs::delta
