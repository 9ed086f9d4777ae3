// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/message.h"

#include <unordered_set>
#include <utility>

#include "delta/store/message/large_pieces.h"

namespace dgfs::delta {

Message Message::put(std::string value) {
  return {MessageKind::kPut, std::make_shared<const std::string>(std::move(value)), nullptr, {}};
}

Message Message::put(LargeRef large) { return {MessageKind::kPut, nullptr, std::move(large), {}}; }

const Message& Message::removal() {
  static const Message message{MessageKind::kDelete, nullptr, nullptr, {}};
  return message;
}

const Message& Message::erasure() {
  static const Message message{MessageKind::kErase, nullptr, nullptr, {}};
  return message;
}

Message Message::change(Edit edit) {
  Message message;
  message.patch.add(std::move(edit));
  return message;
}

std::size_t Message::size_bytes() const {
  constexpr std::size_t kMessageBytes = 64;
  return kMessageBytes + (value ? value->size() : 0) +
         (large ? size_bytes_of_large(large->length_bytes()) : 0) + patch.size_bytes();
}

std::size_t Message::inline_bytes() const {
  std::size_t bytes = value ? value->size() : 0;
  for (const Edit& edit : patch.edits()) {
    if (const auto* piece = std::get_if<Piece>(&edit)) bytes += piece->bytes.size();
  }
  return bytes;
}

bool operator==(const Message& a, const Message& b) {
  if (a.kind != b.kind || a.patch != b.patch || !a.value != !b.value || !a.large != !b.large) {
    return false;
  }
  if (a.value) return *a.value == *b.value;
  return !a.large || is_same(a.large, b.large);
}

Result<ValueRef> value_of(const Message& message, const ExtentVolume& volume, bool* has_waited) {
  if (has_waited != nullptr) *has_waited = false;
  auto base = message.value;
  if (!base) {
    DGFS_TRY(large, message.large->load(volume, has_waited));
    base = std::move(large);
  }
  if (message.patch.empty()) return base;
  std::string value = *base;
  DGFS_CHECK(message.patch.apply_to(value, volume, has_waited));
  return std::make_shared<const std::string>(std::move(value));
}

Result<Message> without_large(Message message, const ExtentVolume& volume) {
  if (message.kind == MessageKind::kPut) {
    DGFS_TRY(value, value_of(message, volume));
    return Message{MessageKind::kPut, std::move(value), nullptr, {}};
  }
  if (!message.patch.has_large()) return message;
  auto edits = message.patch.edits();
  DGFS_TRY(pieces, LargePieces::load(edits, volume));
  for (Edit& edit : edits) {
    const auto* piece = std::get_if<LargePiece>(&edit);
    if (piece != nullptr) edit = Piece{piece->offset_bytes, std::string(pieces.bytes(*piece))};
  }
  // Joins pieces that touch.
  Patch small({}, message.patch.least_bytes());
  for (Edit& edit : edits) small.add(std::move(edit));
  message.patch = std::move(small);
  return message;
}

std::vector<LargeRef> large_values(const Message& message) {
  std::vector<LargeRef> all;
  std::unordered_set<const LargeValue*> found;
  visit_large(message, [&](const LargeRef& large) {
    if (found.insert(large.get()).second) all.push_back(large);
  });
  return all;
}

}  // namespace dgfs::delta
