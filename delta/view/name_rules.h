// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The names, and the numbers of links, that a view takes.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace dgfs::view {

/// Names that an object other than a directory may have, as XFS has it.
inline constexpr std::uint64_t kLinksMax = 0x7fffffff;

/// One component of a path; "." and "..", too. Errors: kInvalidArgument (empty, with '/' or NUL),
/// kNameTooLong (above format::kNameBytesMax).
[[nodiscard]] Status check_component(std::string_view name);
/// The names that a directory has of itself, which nobody makes, removes or moves.
[[nodiscard]] inline bool is_own_name(std::string_view name) { return name == "." || name == ".."; }
/// A name that a record can give: one component, and no own name.
[[nodiscard]] inline bool is_given_name(std::string_view name) {
  return !is_own_name(name) && check_component(name).has_value();
}

}  // namespace dgfs::view
