// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Point: what a run says of one key, seen where it lies.
#pragma once

#include <cstdint>
#include <string_view>

#include "delta/store/message/message.h"

namespace dgfs::delta {

/// A value, which refers to the run: no longer than that lives. Most points are short puts,
/// removals and patches, which are bytes and no objects; the others are boxed.
struct Point {
  /// What it takes besides key, value and box.
  static constexpr std::size_t kBytes = 16;

  std::string_view key;
  MessageKind kind = MessageKind::kDelete;
  /// Of a kPut that is not boxed; the edits of a kPatch that is not, as patch_codec.h has them.
  std::string_view value;
  const Message* boxed = nullptr;  ///< with what is large, or a put that is changed later

  [[nodiscard]] bool is_final() const { return delta::is_final(kind); }
  /// A copy. Cost of a patch: O(number of edits).
  [[nodiscard]] Message message() const;
  /// What it takes of memory, about. Nodes keep it of their runs: it is the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;

  /// By content.
  friend bool operator==(const Point& a, const Point& b);
};

}  // namespace dgfs::delta
