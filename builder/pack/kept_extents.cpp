// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/kept_extents.h"

#include <algorithm>
#include <utility>

#include "format/content/extent.h"

namespace dgfs::builder {
namespace {

constexpr std::size_t kSortBytes = std::size_t{1} << 20;

}  // namespace

KeptExtents::KeptExtents(const SpoolPlace& place) : stretches_(place, kSortBytes) {}

Status KeptExtents::add(const ScannedEntry& entry) {
  const format::DataAddress& at = entry.kept->address;
  KeptUse& use = uses_[at.volume];
  ++use.files;
  use.content_bytes += entry.size_bytes;
  if (!entry.is_multiply_linked()) {
    // With holes, only the stored bytes are known to be needed.
    use.raw_extent_bytes += entry.kept->sparse_map.empty()
                                ? format::raw_extent_bytes(entry.size_bytes)
                                : entry.kept->stored_bytes;
  }
  const auto end = at.offset_bytes + entry.kept->stored_bytes;
  if (stretch_[0] == at.volume && stretch_[2] == at.offset_bytes) {
    stretch_[2] = end;
    return ok();
  }
  DGFS_CHECK(end_stretch());
  stretch_ = {at.volume, at.offset_bytes, end};
  return ok();
}

Status KeptExtents::end_stretch() {
  return stretch_[1] == stretch_[2] ? ok() : stretches_.add(stretch_);
}

Result<KeptUses> KeptExtents::finish() && {
  DGFS_CHECK(end_stretch());
  DGFS_TRY(sorted, std::move(stretches_).finish());
  std::uint64_t volume = 0;
  std::uint64_t counted_until = 0;
  while (true) {
    DGFS_TRY(stretch, sorted->next());
    if (!stretch) return std::move(uses_);
    const auto& [number, begin, end] = *stretch;
    if (std::exchange(volume, number) != number) counted_until = 0;
    if (end <= counted_until) continue;
    uses_[static_cast<format::VolumeNumber>(number)].extent_bytes +=
        end - std::max(begin, counted_until);
    counted_until = end;
  }
}

}  // namespace dgfs::builder
