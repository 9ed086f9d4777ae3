// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The byte vocabulary of all layers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dgfs {

using Bytes = std::span<const std::uint8_t>;   ///< owns nothing
using MutableBytes = std::span<std::uint8_t>;  ///< owns nothing
using Buffer = std::vector<std::uint8_t>;

/// Views the same bytes; `text` must outlive the result.
inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline MutableBytes as_mutable_bytes(std::string& text) {
  return {reinterpret_cast<std::uint8_t*>(text.data()), text.size()};
}
/// Copies the bytes of `text`.
inline Buffer buffer_of(std::string_view text) {
  const auto bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}
/// Views the same bytes, which must outlive the result.
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A moment in time. A value.
struct Time {
  std::int64_t seconds = 0;       ///< since 1970-01-01 UTC, negative before
  std::uint32_t nanoseconds = 0;  ///< after `seconds`, in [0, 999'999'999]
  friend auto operator<=>(const Time&, const Time&) = default;
};

/// For clocks, which count nanoseconds.
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// One extended attribute. A value.
struct Xattr {
  std::string name;  ///< with its namespace prefix ("user.x"), no NUL
  Buffer value;      ///< may be empty
  friend bool operator==(const Xattr&, const Xattr&) = default;
};

}  // namespace dgfs
