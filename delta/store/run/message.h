// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Message: what is known of one key at one level of the tree. However many operations a key has
// seen, it has one message; overlay.h says how a newer one goes over an older one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "delta/store/extent/large_value.h"
#include "delta/store/run/patch.h"

namespace dgfs::delta {

/// What a message says of the key. Runs on disk have these numbers.
enum class MessageKind : std::uint8_t {
  kPatch = 0,   ///< whatever older levels say, changed by `patch`
  kDelete = 1,  ///< there is no such key
  kPut = 2,     ///< `value`, or `large` changed by `patch`
  kErase = 4,   ///< there is no such key, nor is there one below the store
};

/// Older levels have nothing to add to a message of this kind.
[[nodiscard]] constexpr bool is_final(MessageKind kind) { return kind != MessageKind::kPatch; }

/// A value. Thread-safe for reading.
struct Message {
  MessageKind kind = MessageKind::kPatch;
  ValueRef value = nullptr;  ///< of kPut
  LargeRef large = nullptr;  ///< of kPut, if there is no `value`
  Patch patch;               ///< of kPatch, or over `large`, so that it is changed without reading

  [[nodiscard]] static Message put(std::string value);
  [[nodiscard]] static Message put(LargeRef large);
  [[nodiscard]] static const Message& removal();
  [[nodiscard]] static const Message& erasure();
  [[nodiscard]] static Message change(Edit edit);

  [[nodiscard]] bool is_final() const { return delta::is_final(kind); }
  /// What it takes of memory, about, the same on all machines; without the bytes of a large value,
  /// bound or not.
  [[nodiscard]] std::size_t size_bytes() const;
  /// By content; large values by their places.
  friend bool operator==(const Message& a, const Message& b);
};

/// The value of a kPut.
/// @param has_waited  as of LargeValue::load; false of a value that is not large
/// Errors: those of LargeValue::load.
[[nodiscard]] Result<ValueRef> value_of(const Message& message, const ExtentVolume& volume,
                                        bool* has_waited = nullptr);

}  // namespace dgfs::delta
