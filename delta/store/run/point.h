// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Point: what a run says of one key, seen where it lies.
#pragma once

#include <cstdint>
#include <string_view>

#include "delta/store/message/message.h"

namespace dgfs::delta {

/// A value, which refers to the run: no longer than that lives. Most points are short puts and
/// removals, which are bytes and no objects; the others are boxed.
struct Point {
  /// What it takes besides key, value and box.
  static constexpr std::size_t kBytes = 16;

  std::string_view key;
  MessageKind kind = MessageKind::kDelete;
  std::string_view value;          ///< of a kPut that is not boxed
  const Message* boxed = nullptr;  ///< a patch, or a put with what is large or changed later

  [[nodiscard]] bool is_final() const { return delta::is_final(kind); }
  /// A copy.
  [[nodiscard]] Message message() const;
  /// What it takes of memory, about. Nodes keep it of their runs: it is the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;

  /// By content.
  friend bool operator==(const Point& a, const Point& b);
};

}  // namespace dgfs::delta
