// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/snapshot.h"

#include "delta/store/message/overlay.h"
#include "delta/store/message/value_part.h"

namespace dgfs::delta {

Result<Message> find_whole(const TreeView& view, std::string_view key, Message newer,
                           const BlockSource& source) {
  DGFS_TRY(message, find(view, key, std::move(newer), source));
  if (is_small(message)) return message;
  // The view keeps the space of the large values in the message.
  return without_large(std::move(message), *source.values);
}

Result<std::optional<ValueSlice>> read(const TreeView& view, std::string_view key, Message newer,
                                       std::uint64_t begin_bytes, std::uint64_t length_bytes,
                                       const BlockSource& source) {
  DGFS_TRY(found, find(view, key, std::move(newer), source));
  const Message message = over_nothing(std::move(found));
  if (message.kind != MessageKind::kPut) return std::optional<ValueSlice>();
  DGFS_TRY(slice, part_of_value(message, begin_bytes, length_bytes, *source.values));
  return std::optional(std::move(slice));
}

std::optional<std::string> value_over_nothing(Message message) {
  message = over_nothing(std::move(message));
  if (message.kind != MessageKind::kPut) return std::nullopt;
  return *message.value;
}

Result<Message> Snapshot::find(std::string_view key) const {
  return find_whole(view_, key, Message(), source_);
}

Result<Message> Snapshot::find_unread(std::string_view key) const {
  return delta::find(view_, key, Message(), source_);
}

Result<std::optional<ValueSlice>> Snapshot::read(std::string_view key, std::uint64_t begin_bytes,
                                                 std::uint64_t length_bytes) const {
  return delta::read(view_, key, Message(), begin_bytes, length_bytes, source_);
}

Result<std::optional<std::string>> Snapshot::get(std::string_view key) const {
  DGFS_TRY(message, find(key));
  return value_over_nothing(std::move(message));
}

}  // namespace dgfs::delta
