// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/stack_snapshot.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "delta/store/message/overlay.h"
#include "delta/store/run/object_key.h"

namespace dgfs::delta {
namespace {

// The only object whose keys lie in a range; none: there may be several.
std::optional<ObjectPrefix> only_object_in(const KeyRange& range) {
  const auto prefix = prefix_of(range.begin);
  if (!range.end || prefix.object == UINT64_MAX) return std::nullopt;
  if (first_key_of({prefix.object_class, prefix.object + 1}) < *range.end) return std::nullopt;
  return prefix;
}

}  // namespace

Result<Message> StackSnapshot::find(std::string_view key) const {
  Overlay said{Message()};
  const auto prefix = prefix_of(key);
  for (auto store = stores_.rbegin(); store != stores_.rend() && !said.is_final(); ++store) {
    if (store->may_have(prefix.object_class, prefix.object)) {
      DGFS_TRY(message, store->find(key));
      said.add_older(std::move(message));
    }
    if (is_young(key, store->born_object())) said.add_nothing_older();
  }
  return said.take();
}

Result<std::optional<std::string>> StackSnapshot::get(std::string_view key,
                                                      const Bottom& bottom) const {
  DGFS_TRY(message, find(key));
  if (!message.is_final()) {
    DGFS_TRY(below, bottom(key));
    message =
        composed(below ? Message::put(*std::move(below)) : Message::removal(), std::move(message));
  }
  return value_over_nothing(std::move(message));
}

Result<StackedValue> StackSnapshot::value(std::string_view key) const {
  StackedValue value;
  const auto prefix = prefix_of(key);
  for (auto store = stores_.rbegin(); store != stores_.rend() && !value.is_final(); ++store) {
    if (store->may_have(prefix.object_class, prefix.object)) {
      DGFS_TRY(message, store->find_unread(key));
      value.add_older(std::move(message), *store->values());
    }
    if (is_young(key, store->born_object())) value.add_nothing_older();
  }
  return value;
}

StackCursor StackSnapshot::cursor(KeyRange bounds) const {
  std::vector<StackCursor::Layer> layers;
  const auto object = only_object_in(bounds);
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
    if (object && !store->may_have(object->object_class, object->object)) continue;
    layers.push_back({store->message_cursor(bounds), store->born_object(), store->values()});
  }
  return StackCursor(std::move(layers));
}

}  // namespace dgfs::delta
