// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/disk/space_map.h"

#include <iterator>

namespace dgfs::delta {

Extent SpaceMap::take(std::uint64_t length_bytes) {
  for (auto stretch = free_.begin(); stretch != free_.end(); ++stretch) {
    if (stretch->second < length_bytes) continue;
    const Extent extent{stretch->first, length_bytes};
    const std::uint64_t rest = stretch->second - length_bytes;
    stretch = free_.erase(stretch);
    if (rest != 0) free_.emplace_hint(stretch, extent.end_bytes(), rest);
    free_bytes_ -= length_bytes;
    return extent;
  }
  const Extent extent{end_bytes_, length_bytes};
  end_bytes_ = extent.end_bytes();
  return extent;
}

void SpaceMap::give_back(const Extent& extent) {
  free_bytes_ += extent.length_bytes;
  auto after = free_.lower_bound(extent.offset_bytes);
  Extent whole = extent;
  if (after != free_.end() && after->first == extent.end_bytes()) {
    whole.length_bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == whole.offset_bytes) {
      whole = {before->first, before->second + whole.length_bytes};
      after = free_.erase(before);
    }
  }
  if (whole.end_bytes() == end_bytes_) {
    end_bytes_ = whole.offset_bytes;
    free_bytes_ -= whole.length_bytes;
  } else {
    free_.emplace_hint(after, whole.offset_bytes, whole.length_bytes);
  }
}

bool SpaceMap::mark(const Extent& extent) {
  if (extent.offset_bytes >= end_bytes_) {
    if (extent.offset_bytes > end_bytes_) {
      free_.emplace(end_bytes_, extent.offset_bytes - end_bytes_);
      free_bytes_ += extent.offset_bytes - end_bytes_;
    }
    end_bytes_ = extent.end_bytes();
    return true;
  }
  const auto behind = free_.upper_bound(extent.offset_bytes);
  if (behind == free_.begin()) return false;
  const auto stretch = std::prev(behind);
  const Extent whole{stretch->first, stretch->second};
  if (whole.end_bytes() < extent.end_bytes()) return false;
  free_.erase(stretch);
  free_bytes_ -= extent.length_bytes;
  if (whole.offset_bytes != extent.offset_bytes) {
    free_.emplace(whole.offset_bytes, extent.offset_bytes - whole.offset_bytes);
  }
  if (whole.end_bytes() != extent.end_bytes()) {
    free_.emplace(extent.end_bytes(), whole.end_bytes() - extent.end_bytes());
  }
  return true;
}

}  // namespace dgfs::delta
