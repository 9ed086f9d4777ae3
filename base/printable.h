// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes text of any bytes safe for messages and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dgfs {

/// The escape of one byte as used in $'...', in C strings and in messages: \n, \033.
[[nodiscard]] std::string escaped_byte(char byte);

/// Replaces control characters, characters that reorder text, and bytes that are not UTF-8 by
/// backslash escapes. For messages only: the original name cannot always be recovered.
[[nodiscard]] std::string printable(std::string_view text);

/// Length of the character at the start of `text` if it is valid UTF-8 and harmless to print (no
/// control, no bidirectional override), else 0. `text` must not be empty.
[[nodiscard]] std::size_t printable_bytes(std::string_view text);

/// Decodes the UTF-8 character at the start of `text`; `length` is 0 where it is malformed.
struct Utf8Character {
  char32_t value = 0;
  std::size_t length = 0;
};
[[nodiscard]] Utf8Character decode_utf8(std::string_view text);

}  // namespace dgfs
