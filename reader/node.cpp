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

}  // namespace dgfs::reader
