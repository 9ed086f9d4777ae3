// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Computes where the contents of each file of a generated tree lie in its image, from the sizes of
// all files before it.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/hundred_million/generated_tree.h"

namespace dgfs::bench {

/// Immutable, thread-safe. Memory: 8 bytes per kStride files.
class DataOffsets {
 public:
  /// Visits all files once. @param tree  must outlive the object
  explicit DataOffsets(const GeneratedTree& tree);

  [[nodiscard]] std::uint64_t of_file(std::uint64_t number) const;

 private:
  static constexpr std::uint64_t kStride = 64;

  const GeneratedTree& tree_;
  std::vector<std::uint64_t> starts_;  ///< offset of every kStride-th file
};

}  // namespace dgfs::bench
