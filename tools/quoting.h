// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of any bytes, made safe for terminals, messages and JSON, and measured in columns.
#pragma once

#include <string>
#include <string_view>

namespace dgfs::tools {

/// What manuals say of the names that a command prints.
inline constexpr char kNamesHelp[] =
    "Names that could fool a terminal or a shell are quoted on a terminal, as ls does; a pipe gets "
    "them as they are.";

/// As ls on a terminal (quoting style shell-escape): a name that a shell would take apart is put
/// in quotes, bytes that could move the cursor or reorder text become $'\n' or $'\033', so that
/// what is shown can be pasted back. Plain names are returned as they are.
struct ShellQuoting {
  bool always = false;      ///< in quotes also where none are needed (as stat's %N)
  bool escapes = true;      ///< false: what cannot be printed stays as it is
  std::string_view also{};  ///< further characters that need quotes
};
[[nodiscard]] std::string shell_quoted(std::string_view name, const ShellQuoting& how = {});

/// Escape of one byte inside $'...', a string of C, or a message: \n, \033.
[[nodiscard]] std::string escaped_byte(char byte);

/// Control characters and bytes that are not UTF-8 as backslash escapes: for messages, which quote
/// names but are not one.
[[nodiscard]] std::string printable(std::string_view text);

/// Bytes at the start of `text` that count as one character, as the C library counts, and ls with
/// it: a valid one, or one of up to six bytes that UTF-8 had before RFC 3629; all of the rest where
/// it is the beginning of one; else a single byte. `text` must not be empty.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// Columns that UTF-8 text takes on a terminal: controls and combining marks none, East Asian wide
/// characters two.
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
