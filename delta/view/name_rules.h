// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The names and the numbers of links that a view accepts.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace dgfs::view {

/// The most names of an object other than a directory, as in XFS.
inline constexpr std::uint64_t kLinksMax = 0x7fffffff;

/// Checks one component of a path; "." and ".." pass. Errors: kInvalidArgument (empty, with '/' or
/// NUL), kNameTooLong (above format::kNameBytesMax).
[[nodiscard]] Status check_component(std::string_view name);
/// The names that each directory has by itself; they cannot be made, removed or moved.
[[nodiscard]] inline bool is_own_name(std::string_view name) { return name == "." || name == ".."; }
/// A name that a record may have: one component other than "." and "..".
[[nodiscard]] inline bool is_given_name(std::string_view name) {
  return !is_own_name(name) && check_component(name).has_value();
}

}  // namespace dgfs::view
