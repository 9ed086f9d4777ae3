// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A walk of a tree on disk: what it is made of, and whether it keeps all rules.
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

/// What a walk found. What could not be read is not counted. A value.
struct TreeReport {
  unsigned height = 0;  ///< of the root
  std::uint64_t nodes = 0;
  std::uint64_t basements = 0;
  std::uint64_t waiting_runs = 0;
  std::uint64_t node_bytes = 0;  ///< of blocks, without padding, as the two that follow
  std::uint64_t basement_bytes = 0;
  std::uint64_t waiting_bytes = 0;
  std::uint64_t large_values = 0;
  std::uint64_t large_value_bytes = 0;  ///< in the extent volume, without padding
  std::uint64_t basement_points = 0;    ///< 0 where runs were not read, as the two that follow
  std::uint64_t waiting_points = 0;
  std::uint64_t waiting_tombstones = 0;
  std::uint64_t used_bytes = 0;    ///< of blocks, with padding
  std::uint64_t free_bytes = 0;    ///< between them
  std::uint64_t unread_nodes = 0;  ///< damaged ones: nothing is known of what is below them
  std::uint64_t filter_bytes = 0;  ///< of blocks of the filter, its table among them, as node_bytes
  std::uint64_t filter_stages = 0;
  std::uint64_t filter_prefixes = 0;  ///< in its stages
  std::uint64_t filter_ranges = 0;    ///< of prefixes, beside them
  std::uint64_t space_bytes = 0;      ///< of blocks that have the free space, as node_bytes

  /// What a walk that reads runs reads.
  [[nodiscard]] std::uint64_t total_bytes() const { return block_bytes() + large_value_bytes; }
  [[nodiscard]] std::uint64_t block_bytes() const {
    return node_bytes + basement_bytes + waiting_bytes + filter_bytes + space_bytes;
  }
};

/// How a tree is walked. A value.
struct TreeWalk {
  /// False: nodes alone are. They name all blocks and large values, and take a hundredth of their
  /// bytes or so.
  bool reads_runs = true;
  Place filter;  ///< its table; of length 0: the filter is empty
  SpaceMaps space;
  std::uint64_t born_object = 0;
  /// Is told how much there has been so far; says whether to go on. Not set: it does.
  std::function<bool(const TreeReport& so_far, std::uint64_t read_bytes)> visit = {};
};

/// Looks for each block at its place, that no two overlap, that children have the right height and
/// slots are in order; of runs that are read, that they have the size their node says, and keys of
/// their slot alone, and none that the filter denies. Goes on behind what is damaged, but not below
/// it.
/// Large values are looked for likewise, and read with the runs that refer to them.
/// @param file    of blocks
/// @param values  has no value yet
/// Errors: those of Damage::add; kInterrupted.
[[nodiscard]] Result<TreeReport> check_tree(std::unique_ptr<storage::File> file, const Place& root,
                                            const TreeWalk& walk, ValueCheck& values,
                                            Damage& damage);

}  // namespace dgfs::delta
