// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/message.h"

#include <utility>

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
  constexpr std::size_t kLargeValueBytes = 104;
  return kMessageBytes + (value ? value->size() : 0) + (large ? kLargeValueBytes : 0) +
         patch.size_bytes();
}

bool operator==(const Message& a, const Message& b) {
  if (a.kind != b.kind || a.patch != b.patch || !a.value != !b.value || !a.large != !b.large) {
    return false;
  }
  if (a.value) return *a.value == *b.value;
  if (!a.large || a.large == b.large) return true;
  return a.large->place() && a.large->place() == b.large->place();
}

Result<ValueRef> value_of(const Message& message, const ExtentVolume& volume, bool* has_waited) {
  if (has_waited != nullptr) *has_waited = false;
  if (message.value) return message.value;
  DGFS_TRY(large, message.large->load(volume, has_waited));
  if (message.patch.empty()) return large;
  std::string value = *large;
  message.patch.apply_to(value);
  return std::make_shared<const std::string>(std::move(value));
}

}  // namespace dgfs::delta
