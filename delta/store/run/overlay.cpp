// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/overlay.h"

#include <optional>
#include <string>

namespace dgfs::delta {

Message composed(Message older, Message newer) {
  if (newer.is_final()) return newer;
  if (newer.patch.empty()) return older;
  switch (older.kind) {
    case MessageKind::kDelete:
    case MessageKind::kErase:
      return over_nothing(std::move(newer));
    case MessageKind::kPut: {
      if (older.large) break;
      std::string value = *older.value;
      newer.patch.apply_to(value);
      return Message::put(std::move(value));
    }
    case MessageKind::kPatch:
      break;
  }
  older.patch.add(std::move(newer.patch));
  return older;
}

Message over_nothing(Message newer) {
  if (newer.is_final()) return newer;
  if (newer.patch.empty()) return Message::removal();
  std::string value;
  newer.patch.apply_to(value);
  return Message::put(std::move(value));
}

// Patches first, from the oldest on, so that each is gone through once; then all over what they are
// patches of, which may be long.
Message Overlay::take() {
  std::optional<Message> base;
  if (said_.size() > 1 && said_.back().is_final()) {
    base = std::move(said_.back());
    said_.pop_back();
  }
  Message all = std::move(said_.back());
  for (auto age = said_.size() - 1; age-- > 0;) {
    all = composed(std::move(all), std::move(said_[age]));
  }
  if (base) return composed(std::move(*base), std::move(all));
  return is_over_nothing_ ? over_nothing(std::move(all)) : all;
}

}  // namespace dgfs::delta
