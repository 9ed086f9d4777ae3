// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/content_end.h"

namespace dgfs::view {

Result<std::uint64_t> end_of_data(const Moment& moment, ObjectNumber object) {
  const Chunks& chunks = moment.layers().chunks();
  const auto keys = chunk_keys(object, 0, std::nullopt);
  auto cursor = moment.stores().cursor(keys);
  Status moved = cursor.seek_before(keys.end);
  for (; moved && cursor.is_at_place(); moved = cursor.previous()) {
    const auto chunk = chunk_of(rest_of(cursor.key()));
    if (!cursor.has_message() || !chunk) continue;
    DGFS_TRY(value, moment.stores().value(cursor.key()));
    const auto data = value.data_in({0, chunks.chunk_bytes()});
    if (!data.empty()) return chunks.begin_of(*chunk) + data.back().end_bytes;
  }
  DGFS_CHECK(moved);
  return std::uint64_t{0};
}

}  // namespace dgfs::view
