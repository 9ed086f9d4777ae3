// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/marked_orphans.h"

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

}  // namespace dgfs::view
