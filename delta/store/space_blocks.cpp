// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/space_blocks.h"

#include <algorithm>
#include <new>
#include <utility>

namespace dgfs::delta {
namespace {

std::vector<Extent> padded(std::vector<Extent> extents) {
  for (Extent& extent : extents) extent.length_bytes = padded_bytes(extent.length_bytes);
  return extents;
}

}  // namespace

bool SpaceBlocks::load(const SpaceMaps& maps, std::span<const Place> in_use) {
  if (maps.empty()) return false;
  const auto space = read_space_maps(files_.blocks, maps);
  if (!space) return false;
  const FreeSpace& blocks = space.value().blocks;
  const auto is_free = [&](const Place& place) {
    return place.offset_bytes % kBlockAlignmentBytes == 0 &&
           blocks.has({place.offset_bytes, padded_bytes(place.length_bytes)});
  };
  const auto is_behind = [](const Place& a, const Place& b) {
    return a.offset_bytes >= b.offset_bytes + padded_bytes(b.length_bytes);
  };
  // If the map of blocks is the right one, it counts both blocks of maps as free, and no block of
  // the tree.
  if (!is_free(maps.blocks) || !is_free(maps.values) || std::ranges::any_of(in_use, is_free) ||
      (!is_behind(maps.blocks, maps.values) && !is_behind(maps.values, maps.blocks))) {
    return false;
  }
  files_.blocks.restore(blocks);
  files_.values.file().restore(space.value().values);
  for (const Place* place : {&maps.blocks, &maps.values}) {
    if (!files_.blocks.mark(place->extent())) return false;
  }
  maps_ = maps;
  return true;
}

bool SpaceBlocks::write(const FreeSpace& space, Place& place) {
  if (space.stretches().size() > FreeSpace::kStretchesMax) return false;
  Buffer bytes;
  space.encode(bytes);
  auto written = files_.blocks.write(bytes);
  if (written) place = written.value();
  return written.has_value();
}

void SpaceBlocks::retire() {
  for (const Place* place : {&maps_.blocks, &maps_.values}) {
    if (place->length_bytes != 0) retired_.push_back(place->extent());
  }
  maps_ = {};
}

// A later checkpoint may have maps again.
void SpaceBlocks::write_none() {
  retired_.reserve(retired_.size() + 2);
  retire();
}

// Blocks that were written in vain are freed after the checkpoint.
void SpaceBlocks::write(UsedSpace spare) {
  retired_.reserve(retired_.size() + 4);
  retire();
  try {
    if (write_both(std::move(spare))) return;
  } catch (const std::bad_alloc&) {
  }
  retire();
}

// The map of blocks is written last: it counts the other map as free, like itself.
bool SpaceBlocks::write_both(UsedSpace spare) {
  FreeSpace values = files_.values.space_beside_tree();
  values.add(padded(std::move(spare.values)));
  spare.blocks.insert(spare.blocks.end(), retired_.begin(), retired_.end());
  FreeSpace blocks = files_.blocks.free_space();
  blocks.add(padded(std::move(spare.blocks)));
  return write(values, maps_.values) && write(blocks, maps_.blocks);
}

void SpaceBlocks::note_checkpoint() {
  try {
    for (; !retired_.empty(); retired_.pop_back()) files_.blocks.free(retired_.back());
  } catch (const std::bad_alloc&) {  // the rest is freed the next time
  }
}

std::uint64_t SpaceBlocks::retired_bytes() const {
  std::uint64_t bytes = 0;
  for (const Extent& block : retired_) bytes += padded_bytes(block.length_bytes);
  return bytes;
}

// Maps grow only a little from one checkpoint to the next.
std::uint64_t SpaceBlocks::bytes_to_write() const {
  constexpr std::uint64_t kStretchBytes = 12;  // two varints, for a file of some TiB
  constexpr std::uint64_t kSlackBytes = 8192;
  const auto stretches = files_.blocks.stretches() + files_.values.file().stretches();
  return 2 * (stretches * kStretchBytes + kSlackBytes);
}

}  // namespace dgfs::delta
