// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>

namespace dgfs::reader {

/// Counts of a cache since it was made. A shared cache (OpenOptions::caches) counts for all its
/// images. A value.
struct CacheCounters {
  std::uint64_t hits = 0;       ///< values found in the cache
  std::uint64_t misses = 0;     ///< values that had to be read
  std::uint64_t evictions = 0;  ///< values dropped to make room
  std::uint64_t bytes = 0;      ///< held now
  std::uint64_t bytes_max = 0;  ///< budget
};

/// Counts of an image since it was opened. A value.
struct Counters {
  CacheCounters pages;            ///< index pages, of all images that share the cache
  CacheCounters frames;           ///< frames and maps, of all images that share the caches
  std::uint64_t index_reads = 0;  ///< device reads for pages
  std::uint64_t side_reads = 0;   ///< device reads for side records
  std::uint64_t data_reads = 0;   ///< device reads for contents
  // Bytes that these reads asked for.
  std::uint64_t index_read_bytes = 0;  ///< by index_reads
  std::uint64_t side_read_bytes = 0;   ///< by side_reads
  std::uint64_t data_read_bytes = 0;   ///< by data_reads
  std::uint64_t healed_pages = 0;      ///< reads served by the other index copy
  std::uint64_t errors = 0;            ///< failed checks and failed reads
};

}  // namespace dgfs::reader
