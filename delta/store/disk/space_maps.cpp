// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/space_maps.h"

#include <utility>

namespace dgfs::delta {
namespace {

Result<FreeSpace> read_map(const BlockFile& file, const Place& place) {
  DGFS_TRY(block, file.read(place));
  auto space = FreeSpace::decode(block);
  if (!space) return file.at_place(space.error(), place.offset_bytes);
  return space;
}

}  // namespace

Result<SpaceOfFiles> read_space_maps(const BlockFile& file, const SpaceMaps& maps) {
  DGFS_TRY(blocks, read_map(file, maps.blocks));
  DGFS_TRY(values, read_map(file, maps.values));
  return SpaceOfFiles{std::move(blocks), std::move(values)};
}

}  // namespace dgfs::delta
