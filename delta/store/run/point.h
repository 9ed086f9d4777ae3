// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Point: the message of a run for one key, by reference.
#pragma once

#include <cstdint>
#include <string_view>

#include "delta/store/message/message.h"

namespace dgfs::delta {

/// A value, which refers to the run and must not outlive it. Most points are short puts, removals
/// and patches, which are bytes and not objects; the others are boxed.
struct Point {
  /// Its memory in addition to key, value and box.
  static constexpr std::size_t kBytes = 16;

  std::string_view key;
  MessageKind kind = MessageKind::kDelete;
  /// Of an unboxed kPut; of an unboxed kPatch the edits, encoded as in patch_codec.h.
  std::string_view value;
  const Message* boxed = nullptr;  ///< a message with large parts, or a put with a patch

  [[nodiscard]] bool is_final() const { return delta::is_final(kind); }
  /// A copy. Cost of a patch: O(number of edits).
  [[nodiscard]] Message message() const;
  /// Roughly its memory. Nodes store this of their runs, so it is the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;

  /// By content.
  friend bool operator==(const Point& a, const Point& b);
};

}  // namespace dgfs::delta
