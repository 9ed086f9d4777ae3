// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceBlocks: the free space of both files of a store, on disk. Each checkpoint writes it, so that
// opening reads two blocks instead of all nodes of the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "delta/store/disk/space_maps.h"
#include "delta/store/disk/used_space.h"
#include "delta/store/tree_files.h"

namespace dgfs::delta {

/// For one thread at a time.
class SpaceBlocks {
 public:
  /// @param files  must outlive it
  explicit SpaceBlocks(TreeFiles& files) : files_(files) {}

  /// Call it when a store is opened, before all else: notes the space that is in use according to
  /// the maps of a checkpoint, and the space of the maps. False: there are no maps, or they are
  /// damaged, and nothing is noted.
  /// @param in_use  other blocks of the checkpoint
  [[nodiscard]] bool load(const SpaceMaps& maps, std::span<const Place> in_use);

  /// Writes the maps in a checkpoint, after everything else. If that fails, for lack of space or
  /// memory or by an error of the disk, the checkpoint has no maps, and opening works without them.
  /// Throws std::bad_alloc before it has changed anything.
  /// @param spare  space in use, but not by the tree or the filter of the checkpoint
  void write(UsedSpace spare);
  /// The checkpoint will have no maps.
  void write_none();
  /// The maps that were written last.
  [[nodiscard]] const SpaceMaps& maps() const { return maps_; }
  /// A checkpoint that has maps() is durable.
  void note_checkpoint();

  /// Space that note_checkpoint() will free, with padding.
  [[nodiscard]] std::uint64_t retired_bytes() const;
  /// Roughly the space that write() takes, with padding.
  [[nodiscard]] std::uint64_t bytes_to_write() const;

 private:
  [[nodiscard]] bool write_both(UsedSpace spare);
  [[nodiscard]] bool write(const FreeSpace& space, Place& place);
  void retire();

  TreeFiles& files_;
  SpaceMaps maps_;
  std::vector<Extent> retired_;  ///< earlier maps, which the last durable checkpoint may still need
};

}  // namespace dgfs::delta
