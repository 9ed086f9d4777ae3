// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Message: what is known of one key at one level of the tree, and how newer knowledge goes over
// older. However many operations a key has seen, it has one message.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "delta/tree/patch.h"

namespace dgfs::delta {

/// Shared by the levels that a value passes through, so that it is moved and not copied.
using ValueRef = std::shared_ptr<const std::string>;

/// What a message says of the key.
enum class MessageKind : std::uint8_t {
  kPatch,   ///< whatever older levels say, changed by `patch`
  kDelete,  ///< there is no such key
  kPut,     ///< `value`
};

/// A value. Thread-safe for reading.
struct Message {
  MessageKind kind = MessageKind::kPatch;
  ValueRef value = nullptr;  ///< of kPut; never null then
  Patch patch;               ///< of kPatch

  [[nodiscard]] static Message put(std::string value);
  [[nodiscard]] static const Message& removal();
  [[nodiscard]] static Message change(Edit edit);

  /// Older levels have nothing to add.
  [[nodiscard]] bool is_final() const { return kind != MessageKind::kPatch; }
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const;
  /// By content.
  friend bool operator==(const Message& a, const Message& b);
};

/// `newer` over `older`: what both say together. A patch of what is not there changes an empty
/// value; one without edits says nothing.
[[nodiscard]] Message composed(const Message& older, Message newer);
/// The same where nothing is older: a patch changes an empty value.
[[nodiscard]] Message over_nothing(Message newer);

}  // namespace dgfs::delta
