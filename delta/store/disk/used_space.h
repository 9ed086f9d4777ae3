// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a tree takes of the files of a store.
#pragma once

#include <vector>

#include "delta/store/disk/block_file.h"

namespace dgfs::delta {

/// Without padding. A value.
struct UsedSpace {
  std::vector<Extent> blocks;  ///< of nodes and runs
  std::vector<Extent> values;  ///< in the extent volume

  [[nodiscard]] bool empty() const { return blocks.empty() && values.empty(); }
  /// With padding. O(n).
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const auto* extents : {&blocks, &values}) {
      for (const Extent& extent : *extents) bytes += padded_bytes(extent.length_bytes);
    }
    return bytes;
  }
  void add(const UsedSpace& other) {
    blocks.insert(blocks.end(), other.blocks.begin(), other.blocks.end());
    values.insert(values.end(), other.values.begin(), other.values.end());
  }
};

}  // namespace dgfs::delta
