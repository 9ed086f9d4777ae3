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

using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Seconds since 1970-01-01 UTC (negative before) and nanoseconds in [0, 999'999'999].
struct Time {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  friend auto operator<=>(const Time&, const Time&) = default;
};

/// One extended attribute. `name` carries its namespace prefix ("user.x"), no NUL.
struct Xattr {
  std::string name;
  Buffer value;
  friend bool operator==(const Xattr&, const Xattr&) = default;
};

}  // namespace dgfs
