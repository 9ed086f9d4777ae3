// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Dentry: the record of one name in a directory.
//
//   0  8  object, little-endian
//   8  1  type: the upper four bits of the 16-bit mode
//   9  1  1: a layer below the store that holds the record also shows this name; else 0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "delta/view/object.h"

namespace dgfs::view {

/// The object of a name. A value.
struct Dentry {
  ObjectNumber object = 0;
  std::uint32_t type = 0;  ///< as in Attributes::mode
  /// Whether a layer below the store that holds the record shows this name: then its removal has to
  /// leave a whiteout.
  bool hides_lower = false;

  friend bool operator==(const Dentry&, const Dentry&) = default;
};

[[nodiscard]] std::string encode_dentry(const Dentry& dentry);
/// nullopt: malformed.
[[nodiscard]] std::optional<Dentry> decode_dentry(std::string_view value);

}  // namespace dgfs::view
