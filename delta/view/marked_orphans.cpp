// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/marked_orphans.h"

#include <algorithm>
#include <utility>

#include "delta/view/record/keys.h"

namespace dgfs::view {

Result<std::vector<ObjectNumber>> marked_orphans(const delta::StackSnapshot& stores) {
  std::vector<ObjectNumber> orphans;
  const auto keys = keys_of(RecordClass::kOrphan);
  auto cursor = stores.cursor(keys);
  Status moved = cursor.seek(keys.begin);
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    if (!cursor.has_message()) continue;
    DGFS_TRY(message, cursor.message());
    if (message.kind == delta::MessageKind::kPut) orphans.push_back(object_of(cursor.key()));
  }
  DGFS_CHECK(moved);
  return orphans;
}

Result<std::vector<ObjectNumber>> nameless_below(const Generation& generation, std::size_t layers) {
  if (layers == 0) return std::vector<ObjectNumber>();
  const auto& sealed = generation.sealed();
  const auto count = static_cast<std::ptrdiff_t>(std::min(layers, sealed.size()));
  DGFS_TRY(objects, marked_orphans(delta::StackSnapshot(
                        std::vector<delta::Snapshot>(sealed.begin(), sealed.begin() + count))));
  // The layers may say nothing of those.
  DGFS_CHECK(generation.image()->walk_nameless([&objects](const reader::Node& node) {
    objects.push_back(node.inode);
    return true;
  }));
  return objects;
}

}  // namespace dgfs::view
