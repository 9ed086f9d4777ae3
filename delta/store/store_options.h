// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

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
  /// For blocks that were read; an eighth more for large values that are read again and again.
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::size_t table_bytes = std::size_t{32} << 20;  ///< of changes that wait for the tree
  std::size_t dirty_bytes = std::size_t{64} << 20;  ///< of the tree, not written yet
  /// Of free space in a file; less is not given back to the disk, and not worth cleaning.
  std::size_t spare_bytes = std::size_t{1} << 20;
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
};

/// How many times the bytes of the tables may wait while a thread moves them into the tree.
inline constexpr std::uint64_t kPatience = 2;
/// Pieces in which tables go into the tree, at most.
inline constexpr std::uint64_t kSlicesMax = 8;
/// A group of the log is at most this part of a segment, and a batch this part of a group.
inline constexpr std::uint64_t kGroupShare = 4;

}  // namespace dgfs::delta
