// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/data_offsets.h"

#include "format/content/extent.h"
#include "format/limits.h"

namespace dgfs::bench {

DataOffsets::DataOffsets(const GeneratedTree& tree) : tree_(tree) {
  std::uint64_t at = format::kPageBytes;
  for (std::uint64_t number = 0; number < tree.file_count(); ++number) {
    if (number % kStride == 0) starts_.push_back(at);
    at += format::raw_extent_bytes(tree.size_of_file(number));
  }
}

std::uint64_t DataOffsets::of_file(std::uint64_t number) const {
  std::uint64_t at = starts_[static_cast<std::size_t>(number / kStride)];
  for (auto i = number / kStride * kStride; i < number; ++i) {
    at += format::raw_extent_bytes(tree_.size_of_file(i));
  }
  return at;
}

}  // namespace dgfs::bench
