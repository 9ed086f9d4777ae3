// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceMaps: the free space of both files of a store, as written by a checkpoint.
#pragma once

#include "delta/store/disk/block_file.h"
#include "delta/store/disk/free_space.h"

namespace dgfs::delta {

/// Where the two maps are; each is a block in the file of blocks. The map of blocks counts the
/// blocks of both maps as free. A value.
struct SpaceMaps {
  Place blocks;  ///< of length 0: there are none
  Place values;

  [[nodiscard]] bool empty() const { return blocks.length_bytes == 0; }
  friend bool operator==(const SpaceMaps&, const SpaceMaps&) = default;
};

/// The content of both maps. A value.
struct SpaceOfFiles {
  FreeSpace blocks;
  FreeSpace values;
};
/// Reads the maps of a checkpoint. Errors: kIo, kCorrupt.
[[nodiscard]] Result<SpaceOfFiles> read_space_maps(const BlockFile& file, const SpaceMaps& maps);

}  // namespace dgfs::delta
