// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/free_space.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/disk/decode_error.h"
#include "format/coding.h"

namespace dgfs::delta {

bool FreeSpace::has(const Extent& extent) const {
  if (extent.offset_bytes >= end_bytes_) return true;
  const auto behind = std::ranges::upper_bound(
      free_, extent.offset_bytes, {}, [](const Extent& each) { return each.offset_bytes; });
  return behind != free_.begin() && std::prev(behind)->end_bytes() >= extent.end_bytes();
}

void FreeSpace::add(std::vector<Extent> extents) {
  extents.insert(extents.end(), free_.begin(), free_.end());
  std::ranges::sort(extents);
  free_.clear();
  for (const Extent& extent : extents) {
    if (extent.length_bytes == 0 || extent.offset_bytes >= end_bytes_) continue;
    const auto end = std::min(extent.end_bytes(), end_bytes_);
    if (!free_.empty() && extent.offset_bytes <= free_.back().end_bytes()) {
      const auto begin = free_.back().offset_bytes;
      free_.back().length_bytes = std::max(free_.back().end_bytes(), end) - begin;
    } else {
      free_.push_back({extent.offset_bytes, end - extent.offset_bytes});
    }
  }
  if (!free_.empty() && free_.back().end_bytes() == end_bytes_) {
    end_bytes_ = free_.back().offset_bytes;
    free_.pop_back();
  }
}

void FreeSpace::encode(Buffer& out) const {
  format::Encoder encoder(out);
  encoder.varint(end_bytes_ / kBlockAlignmentBytes);
  encoder.varint(free_.size());
  std::uint64_t end = 0;
  for (const Extent& stretch : free_) {
    encoder.varint((stretch.offset_bytes - end) / kBlockAlignmentBytes);
    encoder.varint(stretch.length_bytes / kBlockAlignmentBytes);
    end = stretch.end_bytes();
  }
}

Result<FreeSpace> FreeSpace::decode(Bytes bytes) {
  constexpr std::uint64_t kUnitsMax = UINT64_MAX / 2 / kBlockAlignmentBytes;
  format::Decoder in(bytes);
  DGFS_TRY(units, in.varint_up_to(kUnitsMax));
  DGFS_TRY(count, in.varint_up_to(std::min(kStretchesMax, in.remaining() / 2)));
  std::vector<Extent> free;
  free.reserve(static_cast<std::size_t>(count));
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_TRY(taken, in.varint_up_to(units - at));
    DGFS_TRY(length, in.varint_up_to(units - at - taken));
    if (length == 0 || (taken == 0 && i > 0)) {
      return corrupt(7156, in, "stretches of free space are empty or touch");
    }
    free.push_back({(at + taken) * kBlockAlignmentBytes, length * kBlockAlignmentBytes});
    at += taken + length;
  }
  if (count > 0 && at == units) return corrupt(7157, in, "free space after all blocks");
  DGFS_CHECK(in.finish());
  return FreeSpace(units * kBlockAlignmentBytes, std::move(free));
}

}  // namespace dgfs::delta
