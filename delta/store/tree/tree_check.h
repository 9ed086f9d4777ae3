// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks a tree on disk: reads its parts, counts them, and verifies all rules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "delta/store/disk/block_file.h"
#include "delta/store/disk/damage.h"
#include "delta/store/disk/space_maps.h"
#include "delta/store/tree/value_check.h"
#include "storage/file.h"

namespace dgfs::delta {

/// Result of a check. Parts that could not be read are not counted. A value.
struct TreeReport {
  unsigned height = 0;  ///< of the root
  std::uint64_t nodes = 0;
  std::uint64_t basements = 0;
  std::uint64_t waiting_runs = 0;
  std::uint64_t node_bytes = 0;  ///< of blocks, without padding, like the next two
  std::uint64_t basement_bytes = 0;
  std::uint64_t waiting_bytes = 0;
  std::uint64_t large_values = 0;
  std::uint64_t large_value_bytes = 0;  ///< in the extent volume, without padding
  std::uint64_t basement_points = 0;    ///< 0 if runs were not read, like the next two
  std::uint64_t waiting_points = 0;
  std::uint64_t waiting_tombstones = 0;
  std::uint64_t used_bytes = 0;    ///< of blocks, with padding
  std::uint64_t free_bytes = 0;    ///< between them
  std::uint64_t unread_nodes = 0;  ///< damaged nodes; everything below them is unknown
  std::uint64_t filter_bytes = 0;  ///< of blocks of the filter with its table, as node_bytes
  std::uint64_t filter_stages = 0;
  std::uint64_t filter_prefixes = 0;  ///< in its stages
  std::uint64_t filter_ranges = 0;    ///< ranges of prefixes in the filter
  std::uint64_t space_bytes = 0;      ///< of blocks of the free space maps, as node_bytes

  /// The bytes that a check with runs reads.
  [[nodiscard]] std::uint64_t total_bytes() const { return block_bytes() + large_value_bytes; }
  [[nodiscard]] std::uint64_t block_bytes() const {
    return node_bytes + basement_bytes + waiting_bytes + filter_bytes + space_bytes;
  }
};

/// How a tree is checked. A value.
struct TreeWalk {
  /// False: reads only nodes, which name all blocks and large values, and are about a hundredth of
  /// the bytes.
  bool reads_runs = true;
  Place filter;  ///< table of the filter; of length 0: the filter is empty
  SpaceMaps space;
  std::uint64_t born_object = 0;
  /// Gets the counts so far; returns whether to go on. Not set: the check goes on.
  std::function<bool(const TreeReport& so_far, std::uint64_t read_bytes)> visit = {};
};

/// Checks that each block is at its place, that no two overlap, that children have the right
/// height, and that slots are in order. For runs that it reads: that they have the size in their
/// node, only keys of their slot, and only keys that the filter lets through. Checks the
/// places of large values, too, and reads each value with the run that refers to it. After damage
/// the check goes on, but not below the damaged part.
/// @param file    of blocks
/// @param values  empty so far
/// Errors: those of Damage::add; kInterrupted.
[[nodiscard]] Result<TreeReport> check_tree(std::unique_ptr<storage::File> file, const Place& root,
                                            const TreeWalk& walk, ValueCheck& values,
                                            Damage& damage);

}  // namespace dgfs::delta
