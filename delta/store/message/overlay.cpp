// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/overlay.h"

#include <optional>
#include <string>

namespace dgfs::delta {

namespace {

// A value whose large parts are read only when the value is read.
Message put_later(ValueRef base, Patch patch) {
  return {MessageKind::kPut, std::move(base), nullptr, std::move(patch)};
}

// The large value that results from a patch of nothing; null: the result is not a single large
// value.
LargeRef whole_value(const Patch& patch) {
  if (patch.edits().size() != 1) return nullptr;
  const auto* piece = std::get_if<LargePiece>(&patch.edits().front());
  const bool is_whole = piece != nullptr && piece->offset_bytes == 0 && piece->skip_bytes == 0 &&
                        piece->length_bytes == piece->large->length_bytes() &&
                        patch.least_bytes() <= piece->length_bytes;
  return is_whole ? piece->large : nullptr;
}

}  // namespace

Message composed(Message older, Message newer) {
  if (newer.is_final()) return newer;
  if (newer.patch.empty()) return older;
  switch (older.kind) {
    case MessageKind::kDelete:
    case MessageKind::kErase:
      return over_nothing(std::move(newer));
    case MessageKind::kPut: {
      if (older.large || !older.patch.empty()) break;
      if (newer.patch.has_large()) return put_later(older.value, std::move(newer.patch));
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
  if (auto whole = whole_value(newer.patch)) return Message::put(std::move(whole));
  if (newer.patch.has_large()) {
    return put_later(std::make_shared<const std::string>(), std::move(newer.patch));
  }
  std::string value;
  newer.patch.apply_to(value);
  return Message::put(std::move(value));
}

// Composes the patches first, from the oldest on, so that each is processed once. The base, which
// may be long, comes last.
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
