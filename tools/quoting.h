// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of any bytes, made safe for terminals, messages and JSON, and measured in columns.
#pragma once

#include <string>
#include <string_view>

namespace dgfs::tools {

/// As ls on a terminal (quoting style shell-escape): a name that a shell would take apart is put
/// in quotes, bytes that could move the cursor or reorder text become $'\n' or $'\033', so that
/// what is shown can be pasted back. Plain names are returned as they are.
[[nodiscard]] std::string shell_quoted(std::string_view name);
/// The same, but always in quotes (as stat's %N).
[[nodiscard]] std::string shell_quoted_always(std::string_view name);

/// Control characters and bytes that are not UTF-8 as backslash escapes: for messages, which quote
/// names but are not one.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns that UTF-8 text takes on a terminal: combining marks none, East Asian wide ones two.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Length of the character at the start of `text` if it is valid UTF-8 and harmless to print (no
/// control, no bidirectional override), else 0. `text` must not be empty.
[[nodiscard]] std::size_t printable_bytes(std::string_view text);

/// Decodes the UTF-8 character at the start of `text`; `length` is 0 where it is malformed.
struct Utf8Character {
  char32_t value = 0;
  std::size_t length = 0;
};
[[nodiscard]] Utf8Character decode_utf8(std::string_view text);

}  // namespace dgfs::tools
