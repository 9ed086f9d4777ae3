// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/layered_file.h"

#include <algorithm>
#include <utility>

namespace dgfs::view {

Status LayeredFile::read_image(std::uint64_t offset_bytes, MutableBytes out) {
  DGFS_CHECK(find_node());
  std::size_t count = 0;
  if (node_ && offset_bytes < node_->size_bytes) {
    DGFS_TRY(read, image().read(*node_, offset_bytes, out));
    count = read;
  }
  std::ranges::fill(out.subspan(count), std::uint8_t{0});
  return ok();
}

Status LayeredFile::announce_image(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  DGFS_CHECK(find_node());
  if (node_) image().announce_part(*node_, offset_bytes, length_bytes);
  return ok();
}

Status LayeredFile::find_node() {
  if (is_known_) return ok();
  DGFS_TRY(node, moment_.layers().bottom().node(object_));
  if (node && format::is_regular(node->mode)) node_ = std::move(node);
  is_known_ = true;
  return ok();
}

}  // namespace dgfs::view
