// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueSlice: some bytes of a value, shared and not copied.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dgfs::delta {

/// A value, shared by the levels that it passes through, so that it is not copied.
using ValueRef = std::shared_ptr<const std::string>;

/// Keeps the whole value in memory.
struct ValueSlice {
  ValueRef value;  ///< null: no bytes
  std::size_t skip_bytes = 0;
  std::size_t length_bytes = 0;

  /// All of it. @param value  not null
  [[nodiscard]] static ValueSlice whole(ValueRef value) {
    const auto length = value->size();
    return {std::move(value), 0, length};
  }
  [[nodiscard]] std::string_view bytes() const {
    return value == nullptr ? std::string_view()
                            : std::string_view(*value).substr(skip_bytes, length_bytes);
  }
};

}  // namespace dgfs::delta
