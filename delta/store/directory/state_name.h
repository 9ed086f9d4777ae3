// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace dgfs::delta {

inline constexpr std::size_t kStateNameBytesMax = 64;
/// The image alone.
inline constexpr std::string_view kBaseState = "base";
/// The delta with all its stores.
inline constexpr std::string_view kNewestState = "newest";

/// 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or digit, not hexadecimal digits alone (that would
/// look like an id), and neither "base" nor "newest".
[[nodiscard]] bool is_state_name(std::string_view name);
/// Errors: kInvalidArgument, with the rule that the name breaks.
[[nodiscard]] Status check_state_name(std::string_view name);
[[nodiscard]] bool is_hex_digit(char c);

}  // namespace dgfs::delta
