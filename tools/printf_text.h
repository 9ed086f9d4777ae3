// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Format strings of stat -c and find -printf: literal text, and directives with printf's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dgfs::tools {

/// Literal text, and the directive after it, if any.
struct FormatPiece {
  std::string literal;
  char letter = 0;    ///< 0: no directive follows the literal
  char modifier = 0;  ///< a letter before it: %Hd, %TY
  bool left = false;
  bool zeros = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
};

/// Backslash sequences that a format may hold.
enum class Escapes : std::uint8_t {
  kNone,
  kFind,  ///< \a \b \f \n \r \t \v \\ and octal
  kStat,  ///< the same, and \xHH
};

/// @param modifiers  letters that take another one after them
/// "%%" becomes a literal. Errors: kInvalidArgument (a directive without a letter).
[[nodiscard]] Result<std::vector<FormatPiece>> parse_format(std::string_view format,
                                                            std::string_view modifiers,
                                                            Escapes escapes);

/// `value` cut to the precision and filled up to the width.
[[nodiscard]] std::string padded(const FormatPiece& piece, std::string value);

}  // namespace dgfs::tools
