// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FreeSpace: the free stretches of a file of blocks at one moment. A checkpoint writes them, so
// that opening need not walk the tree.
//
//   end of all blocks / 512, number of stretches: varints; for each stretch, its distance from the
//   end of the stretch before, or from the start of the file, and its length, both / 512: varints
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/disk/space_map.h"

namespace dgfs::delta {

/// A value.
class FreeSpace {
 public:
  /// Everything is free.
  FreeSpace() = default;
  /// @param end_bytes  behind all that is taken; a multiple of kBlockAlignmentBytes
  /// @param free       stretches before `end_bytes`, in order; no two touch
  FreeSpace(std::uint64_t end_bytes, std::vector<Extent> free)
      : end_bytes_(end_bytes), free_(std::move(free)) {}

  /// A map on disk has at most this many.
  static constexpr std::size_t kStretchesMax = std::size_t{4} << 20;

  [[nodiscard]] std::uint64_t end_bytes() const { return end_bytes_; }
  [[nodiscard]] const std::vector<Extent>& stretches() const { return free_; }

  /// Whether all of an extent is free. O(log n).
  [[nodiscard]] bool has(const Extent& extent) const;
  /// Adds free extents. Cost: O(n log n) for the extents, plus a step for each stretch.
  /// @param extents  in any order, padded; some may be free already
  void add(std::vector<Extent> extents);

  void encode(Buffer& out) const;
  /// Errors: kCorrupt.
  [[nodiscard]] static Result<FreeSpace> decode(Bytes bytes);

  friend bool operator==(const FreeSpace&, const FreeSpace&) = default;

 private:
  std::uint64_t end_bytes_ = 0;
  std::vector<Extent> free_;
};

}  // namespace dgfs::delta
