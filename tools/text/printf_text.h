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

/// Literal text, and the directive that follows it, if there is one.
struct FormatPiece {
  std::string literal;
  char letter = 0;         ///< 0: no directive follows the literal
  char modifier = 0;       ///< a letter before it: %Hd, %TY
  bool left = false;       ///< '-'
  bool zeros = false;      ///< '0'
  bool plus = false;       ///< '+'
  bool space = false;      ///< ' '
  bool alternate = false;  ///< '#'
  std::size_t width = 0;
  std::optional<std::size_t> precision;
};

/// The backslash sequences that a format may contain.
enum class Escapes : std::uint8_t {
  kNone,
  kFind,  ///< \a \b \f \n \r \t \v \\ and octal; \c ends the format
  kStat,  ///< as kFind without \c, and \e \" \xHH
};

/// @param modifiers  letters that another letter must follow
/// "%%" becomes a literal. Errors: kInvalidArgument (a directive without a letter).
[[nodiscard]] Result<std::vector<FormatPiece>> parse_format(std::string_view format,
                                                            std::string_view modifiers,
                                                            Escapes escapes);

/// Cuts `value` to the precision and fills it up to the width, as printf does with strings.
[[nodiscard]] std::string padded(const FormatPiece& piece, std::string value);

enum class NumberKind : std::uint8_t { kSigned, kUnsigned, kOctal, kHexadecimal };
/// A number with the sign, base, digits and width that the flags request, as printf prints it.
/// @param digits  in the base of `kind`; a '-' may precede them
[[nodiscard]] std::string padded_number(const FormatPiece& piece, NumberKind kind,
                                        std::string digits);

}  // namespace dgfs::tools
