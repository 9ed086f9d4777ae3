// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volume groups: runs of consecutive files with their contents together in one volume. Each group
// goes to the volume that has least, so that all volumes serve random reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "builder/options.h"
#include "builder/read/batch.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// Larger files belong to no group: each goes to the volume that has least. The bound is the
/// largest size of a batch, so that larger files are packed in pieces for any memory budget.
inline constexpr std::uint64_t kGroupedFileBytesMax =
    kBatchBytesMax / format::kStoredFrameBytes * format::kFrameBytes;

/// Limits for about sixteen groups in each volume, so that each volume gets its share within a
/// sixteenth. The lower bounds keep the cost of a group small: it ends an index page early, on
/// average at half, and a page of a very large tree has 2000 entries. The upper bounds keep a busy
/// part of the tree from being in one volume.
/// @param files, bytes  files with contents, and content bytes, of the whole tree
[[nodiscard]] inline GroupLimits group_limits(std::size_t volumes, std::uint64_t files,
                                              std::uint64_t bytes) {
  constexpr std::uint64_t kGroupsPerVolume = 16;
  const std::uint64_t groups = kGroupsPerVolume * volumes;
  return {
      std::clamp<std::uint64_t>(files / groups, 4096, 65536),
      std::clamp<std::uint64_t>(bytes / groups, std::uint64_t{32} << 20, std::uint64_t{1} << 30)};
}

/// The result depends only on the tree: on scanned sizes, and not on compressed sizes or on
/// batches, because their size depends on memory.
class VolumeGroups {
 public:
  /// @param volumes  at least 1; with one volume there is one group
  VolumeGroups(std::size_t volumes, GroupLimits limits) : loads_(volumes), limits_(limits) {}

  /// Whether a file of this size stands apart from all groups.
  [[nodiscard]] bool is_apart(std::uint64_t size_bytes) const {
    return loads_.size() > 1 && size_bytes > kGroupedFileBytesMax;
  }
  /// Whether the next file with contents, which does not stand apart, begins a new group.
  [[nodiscard]] bool is_full_for(std::uint64_t size_bytes) const {
    return loads_.size() > 1 && files_ != 0 &&
           (files_ >= limits_.files || bytes_ + size_bytes > limits_.bytes);
  }
  /// Adds that file to the group, or to a new one if the group is_full_for() it.
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
  /// Volume of the current group.
  [[nodiscard]] format::VolumeNumber volume() const { return volume_; }

 private:
  /// Load of the current group. The number of files stands for random reads, their bytes for space.
  /// Groups of many small files and groups of few large files have about the same load; but if
  /// volumes took turns, chance would decide which volume gets which.
  [[nodiscard]] std::uint64_t load() const {
    constexpr std::uint64_t kWhole = 1 << 20;
    return files_ * kWhole / std::max<std::uint64_t>(limits_.files, 1) +
           bytes_ * kWhole / std::max<std::uint64_t>(limits_.bytes, 1);
  }

  std::vector<std::uint64_t> loads_;  ///< load of the finished groups, by volume
  GroupLimits limits_;
  format::VolumeNumber volume_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace dgfs::builder
