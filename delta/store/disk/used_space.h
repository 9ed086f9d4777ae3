// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The space of a tree in the files of a store.
#pragma once

#include <cstdint>
#include <vector>

#include "delta/store/disk/block_file.h"
#include "delta/store/disk/space_map.h"

namespace dgfs::delta {

/// Without padding. A value.
struct UsedSpace {
  std::vector<Extent> blocks;  ///< of nodes and runs
  std::vector<Extent> values;  ///< in the extent volume

  [[nodiscard]] bool empty() const { return blocks.empty() && values.empty(); }
  /// With padding. O(n).
  [[nodiscard]] std::uint64_t padded_size_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto* extents : {&blocks, &values}) {
      for (const Extent& extent : *extents) bytes += padded_bytes(extent.length_bytes);
    }
    return bytes;
  }
};

}  // namespace dgfs::delta
