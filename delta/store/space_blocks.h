// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceBlocks: the free space of both files of a store, on disk. Each checkpoint writes it, so that
// opening reads two blocks and not the nodes of the tree, which name all that is in use.
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

  /// Of a store that is opened, before all else: notes the space that is in use by the maps of a
  /// checkpoint, and theirs. False: there are none, or they are damaged, and nothing is noted.
  /// @param in_use  blocks that the checkpoint has besides
  [[nodiscard]] bool load(const SpaceMaps& maps, std::span<const Place> in_use);

  /// In a checkpoint, when all else of it is written. Where they cannot be written, for a lack of
  /// space or memory or by an error of the disk, there are none: the store is opened as without
  /// them. Throws std::bad_alloc before it has changed anything.
  /// @param spare  in use, and not by the tree or the filter of the checkpoint
  void write(UsedSpace spare);
  /// The checkpoint shall have none.
  void write_none();
  /// Those that were written last.
  [[nodiscard]] const SpaceMaps& maps() const { return maps_; }
  /// A checkpoint that has maps() is durable.
  void note_checkpoint();

  /// What is free then, with padding.
  [[nodiscard]] std::uint64_t retired_bytes() const;
  /// What write() may take of the file, about, with padding.
  [[nodiscard]] std::uint64_t bytes_to_write() const;

 private:
  [[nodiscard]] bool write_both(UsedSpace spare);
  [[nodiscard]] bool write(const FreeSpace& space, Place& place);
  void retire();

  TreeFiles& files_;
  SpaceMaps maps_;
  std::vector<Extent> retired_;  ///< of maps before: the last durable checkpoint may have them
};

}  // namespace dgfs::delta
