// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Text of any bytes, made safe for messages and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dgfs {

/// Escape of one byte inside $'...', a string of C, or a message: \n, \033.
[[nodiscard]] std::string escaped_byte(char byte);

/// Control characters and bytes that are not UTF-8 as backslash escapes: for messages, which quote
/// names but are not one.
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
