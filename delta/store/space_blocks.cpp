// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/space_blocks.h"

#include <new>
#include <utility>

namespace dgfs::delta {
namespace {

std::vector<Extent> padded(std::vector<Extent> extents) {
  for (Extent& extent : extents) extent.length_bytes = padded_bytes(extent.length_bytes);
  return extents;
}

}  // namespace

bool SpaceBlocks::load(const SpaceMaps& maps) {
  if (maps.empty()) return false;
  const auto space = read_space_maps(files_.blocks, maps);
  if (!space) return false;
  // Both are where nothing else is, or the map of blocks is another one.
  SpaceMap marked;
  marked.restore(space.value().blocks.end_bytes(), space.value().blocks.stretches());
  for (const Place* place : {&maps.blocks, &maps.values}) {
    const Extent extent{place->offset_bytes, padded_bytes(place->length_bytes)};
    if (!marked.mark(extent)) return false;
  }
  files_.blocks.restore(space.value().blocks);
  files_.values.file().restore(space.value().values);
  for (const Place* place : {&maps.blocks, &maps.values}) {
    if (!files_.blocks.mark(place->extent())) return false;
  }
  maps_ = maps;
  return true;
}

Result<Place> SpaceBlocks::write(const FreeSpace& space) {
  Buffer bytes;
  space.encode(bytes);
  return files_.blocks.write(bytes);
}

void SpaceBlocks::retire() {
  for (const Place* place : {&maps_.blocks, &maps_.values}) {
    if (place->length_bytes != 0) retired_.push_back(place->extent());
  }
  maps_ = {};
}

void SpaceBlocks::write_none() {
  retired_.reserve(retired_.size() + 2);
  retire();
}

// That of blocks comes last: it has the other one as free, like itself.
Status SpaceBlocks::write(UsedSpace spare) {
  retired_.reserve(retired_.size() + 4);
  retire();
  FreeSpace values = files_.values.space_beside_tree();
  values.add(padded(std::move(spare.values)));
  spare.blocks.insert(spare.blocks.end(), retired_.begin(), retired_.end());
  FreeSpace blocks = files_.blocks.free_space();
  blocks.add(padded(std::move(spare.blocks)));
  SpaceMaps made;
  for (const auto& [space, place] :
       {std::pair(&values, &made.values), std::pair(&blocks, &made.blocks)}) {
    auto written = write(*space);
    if (written) {
      *place = written.value();
      continue;
    }
    maps_ = made;
    retire();
    return written.error().kind() == ErrorKind::kNoSpace ? Status(ok()) : written.error();
  }
  maps_ = made;
  return ok();
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

// They grow by little from one to the next.
std::uint64_t SpaceBlocks::bytes_to_write() const {
  constexpr std::uint64_t kSlackBytes = 8192;
  return 2 * (maps_.blocks.length_bytes + maps_.values.length_bytes) + kSlackBytes;
}

}  // namespace dgfs::delta
