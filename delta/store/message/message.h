// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Message: all that one level of the tree says of one key. However many operations a key has seen,
// a level has one message for it; overlay.h says how a newer one goes over an older one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "delta/store/extent/large_value.h"
#include "delta/store/message/patch.h"

namespace dgfs::delta {

/// What a message says of the key. Runs on disk have these numbers.
enum class MessageKind : std::uint8_t {
  kPatch = 0,   ///< the result of older levels, changed by `patch`
  kDelete = 1,  ///< there is no such key
  kPut = 2,     ///< `value` or `large`, changed by `patch`
  kErase = 4,   ///< no such key in the store or below it
};

/// Older levels add nothing to a message of this kind.
[[nodiscard]] constexpr bool is_final(MessageKind kind) { return kind != MessageKind::kPatch; }

/// A value. Thread-safe for reading.
struct Message {
  MessageKind kind = MessageKind::kPatch;
  ValueRef value = nullptr;  ///< of kPut
  LargeRef large = nullptr;  ///< of kPut, if there is no `value`
  /// Of kPatch. Also of kPut if value or patch is large, so that neither has to be read.
  Patch patch;

  [[nodiscard]] static Message put(std::string value);
  [[nodiscard]] static Message put(LargeRef large);
  [[nodiscard]] static const Message& removal();
  [[nodiscard]] static const Message& erasure();
  [[nodiscard]] static Message change(Edit edit);

  [[nodiscard]] bool is_final() const { return delta::is_final(kind); }
  /// Roughly its memory, the same on all machines; without the bytes of large values, bound or not.
  [[nodiscard]] std::size_t size_bytes() const;
  /// Of its value and pieces that are not large. O(number of edits).
  [[nodiscard]] std::size_t inline_bytes() const;

  /// By content; large values by place.
  friend bool operator==(const Message& a, const Message& b);
};

/// Whether nothing of it is large, and its value has no patch.
[[nodiscard]] inline bool is_small(const Message& message) {
  const bool is_changed = message.kind == MessageKind::kPut && !message.patch.empty();
  return !message.large && !is_changed && !message.patch.has_large();
}
/// The value of a kPut.
/// @param has_waited  as of LargeValue::load; false if nothing of it is large
/// Errors: those of LargeValue::load.
[[nodiscard]] Result<ValueRef> value_of(const Message& message, const ExtentVolume& volume,
                                        bool* has_waited = nullptr);
/// The same message with its large values read: a value, a patch of small pieces, or a removal.
/// Errors: those of LargeValue::load.
[[nodiscard]] Result<Message> without_large(Message message, const ExtentVolume& volume);

/// Visits each reference to a large value. Needs no memory.
template <class Visit>
void visit_large(const Message& message, Visit visit) {
  if (message.large) visit(message.large);
  for (const Edit& edit : message.patch.edits()) {
    if (const auto* piece = std::get_if<LargePiece>(&edit)) visit(piece->large);
  }
}
/// The large values that it refers to, each once.
[[nodiscard]] std::vector<LargeRef> large_values(const Message& message);
/// The same message with other large values.
/// @param replace  called once for each with a LargeRef; returns a Result<LargeRef>
template <class Replace>
[[nodiscard]] Result<Message> with_other_values(Message message, Replace replace) {
  const auto before = large_values(message);
  if (before.empty()) return message;
  std::unordered_map<const LargeValue*, LargeRef> after;
  for (const LargeRef& large : before) {
    DGFS_TRY(other, replace(large));
    after.emplace(large.get(), std::move(other));
  }
  const auto other_of = [&](const LargeRef& large) { return after.at(large.get()); };
  if (message.large) message.large = other_of(message.large);
  auto edits = message.patch.edits();
  for (Edit& edit : edits) {
    if (auto* piece = std::get_if<LargePiece>(&edit)) piece->large = other_of(piece->large);
  }
  message.patch = Patch(std::move(edits), message.patch.least_bytes());
  return message;
}

}  // namespace dgfs::delta
