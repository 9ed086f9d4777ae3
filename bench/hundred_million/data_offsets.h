// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where the contents of each file of a generated tree lie in its image, worked out from the sizes
// of all files before it.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/hundred_million/generated_tree.h"

namespace dgfs::bench {

/// Immutable, thread-safe. Memory: 8 bytes for kStride files.
class DataOffsets {
 public:
  /// Goes through all files once. @param tree  must outlive this
  explicit DataOffsets(const GeneratedTree& tree);

  [[nodiscard]] std::uint64_t of_file(std::uint64_t number) const;

 private:
  static constexpr std::uint64_t kStride = 64;

  const GeneratedTree& tree_;
  std::vector<std::uint64_t> starts_;  ///< of every kStride-th file
};

}  // namespace dgfs::bench
