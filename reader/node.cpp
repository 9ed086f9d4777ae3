// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/node.h"

#include <algorithm>

#include "format/content/extent.h"
#include "format/entry/mode.h"

namespace dgfs::reader {

std::uint64_t data_bytes(const Node& node) {
  if (!format::is_regular(node.mode)) return 0;
  if (!node.sparse_map.present()) return node.size_bytes;
  const auto bytes = node.codec == format::ExtentCodec::kRaw
                         ? format::raw_content_bytes(node.stored_bytes)
                         : node.stored_bytes;
  return std::min(bytes, node.size_bytes);
}

std::optional<StoredRange> stored_range(const Node& node, std::uint64_t begin_bytes,
                                        std::uint64_t end_bytes) {
  if (!format::is_regular(node.mode) || node.sparse_map.present() ||
      node.codec != format::ExtentCodec::kRaw) {
    return std::nullopt;
  }
  const auto begin = format::raw_extent_bytes(begin_bytes);
  return StoredRange{node.data.volume, node.data.offset_bytes + begin,
                     format::raw_extent_bytes(end_bytes) - begin};
}

}  // namespace dgfs::reader
