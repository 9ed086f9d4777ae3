// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/stack_snapshot.h"

#include <utility>

#include "delta/store/message/overlay.h"
#include "delta/store/run/object_key.h"

namespace dgfs::delta {

Result<Message> StackSnapshot::find(std::string_view key) const {
  Overlay said{Message()};
  for (auto store = stores_.rbegin(); store != stores_.rend() && !said.is_final(); ++store) {
    DGFS_TRY(message, store->find(key));
    said.add_older(std::move(message));
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
  for (auto store = stores_.rbegin(); store != stores_.rend() && !value.is_final(); ++store) {
    DGFS_TRY(message, store->find_unread(key));
    value.add_older(std::move(message), *store->values());
    if (is_young(key, store->born_object())) value.add_nothing_older();
  }
  return value;
}

StackCursor StackSnapshot::cursor(KeyRange bounds) const {
  std::vector<StackCursor::Layer> layers;
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
    layers.push_back({store->message_cursor(bounds), store->born_object(), store->values()});
  }
  return StackCursor(std::move(layers));
}

}  // namespace dgfs::delta
