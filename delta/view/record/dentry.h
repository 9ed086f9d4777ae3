// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Dentry: the record of one name in a directory.
//
//   0  8  object, little-endian
//   8  1  type: the upper four bits of its mode's sixteen
//   9  1  1: a layer below the store that holds the record shows this name, too; else 0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "delta/view/object.h"

namespace dgfs::view {

/// What a name leads to. A value.
struct Dentry {
  ObjectNumber object = 0;
  std::uint32_t type = 0;  ///< as in Attributes::mode
  /// Whether a layer below the store that holds the record shows this name: whoever removes it has
  /// to leave a whiteout.
  bool hides_lower = false;

  friend bool operator==(const Dentry&, const Dentry&) = default;
};

[[nodiscard]] std::string encode_dentry(const Dentry& dentry);
/// nullopt: it is none.
[[nodiscard]] std::optional<Dentry> decode_dentry(std::string_view value);

}  // namespace dgfs::view
