// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volume groups: runs of consecutive files whose contents stand together in one volume. Each goes
// where there is least, so that all volumes serve random reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "builder/options.h"
#include "builder/read/batch.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// Files of more than this are in no group's count: each goes where there is least. As large as a
/// batch can be, so that it is packed in pieces whatever the memory.
inline constexpr std::uint64_t kGroupedFileBytesMax =
    kBatchBytesMax / format::kStoredFrameBytes * format::kFrameBytes;

/// Sixteen groups a volume: each then has its share, give or take a sixteenth. But not so small
/// that what a group costs would tell: it ends an index page early, by half of it on average, and
/// of the largest trees 2000 entries stand in a page. Nor so large that a part of the tree that is
/// read much would be in one volume.
/// @param files, bytes  contents of the whole tree
[[nodiscard]] inline GroupLimits group_limits(std::size_t volumes, std::uint64_t files,
                                              std::uint64_t bytes) {
  constexpr std::uint64_t kGroupsPerVolume = 16;
  const std::uint64_t groups = kGroupsPerVolume * volumes;
  return {
      std::clamp<std::uint64_t>(files / groups, 4096, 65536),
      std::clamp<std::uint64_t>(bytes / groups, std::uint64_t{32} << 20, std::uint64_t{1} << 30)};
}

/// Depends on the tree alone: on sizes as they were scanned, not on what they compress to, nor on
/// batches, whose size depends on memory.
class VolumeGroups {
 public:
  /// @param volumes  at least 1; with one there is one group
  VolumeGroups(std::size_t volumes, GroupLimits limits) : loads_(volumes), limits_(limits) {}

  /// Whether a file stands apart from the groups.
  [[nodiscard]] bool is_apart(std::uint64_t size_bytes) const {
    return loads_.size() > 1 && size_bytes > kGroupedFileBytesMax;
  }
  /// Whether the next file with contents, which does not stand apart, is the first of a group.
  [[nodiscard]] bool is_full_for(std::uint64_t size_bytes) const {
    return loads_.size() > 1 && files_ != 0 &&
           (files_ >= limits_.files || bytes_ + size_bytes > limits_.bytes);
  }
  /// Counts that file, in the next group if it is_full_for() it.
  void add(std::uint64_t size_bytes) {
    if (is_full_for(size_bytes)) {
      loads_[volume_] += load();
      const auto least = std::min_element(loads_.begin(), loads_.end());
      volume_ = static_cast<format::VolumeNumber>(least - loads_.begin());
      files_ = 0;
      bytes_ = 0;
    }
    ++files_;
    bytes_ += size_bytes;
  }
  /// Of the group that was added to.
  [[nodiscard]] format::VolumeNumber volume() const { return volume_; }

 private:
  /// Of the group: random reads are shared by the number of files, space by their bytes. A group of
  /// many small files and one of a few large ones have about the same, so taking turns would leave
  /// it to chance who gets which.
  [[nodiscard]] std::uint64_t load() const {
    constexpr std::uint64_t kWhole = 1 << 20;
    return files_ * kWhole / std::max<std::uint64_t>(limits_.files, 1) +
           bytes_ * kWhole / std::max<std::uint64_t>(limits_.bytes, 1);
  }

  std::vector<std::uint64_t> loads_;  ///< of the finished groups of each volume
  GroupLimits limits_;
  format::VolumeNumber volume_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace dgfs::builder
