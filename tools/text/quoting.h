// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of any bytes: made safe for terminals, messages and JSON, and measured in columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/printable.h"

namespace dgfs::tools {

/// The paragraph on printed names for manuals.
inline constexpr char kNamesHelp[] =
    "On a terminal, names that could fool it or a shell are quoted, as by ls; a pipe gets them "
    "unchanged.";

/// The paragraph on --json for manuals.
inline constexpr char kJsonHelp[] =
    "In JSON, names are strings. Bytes of a name that are not valid UTF-8 become the lone "
    "surrogates \\udc80 to \\udcff, one for each byte, as with Python's error handler "
    "surrogateescape, so that the exact name can be recovered. Control characters and characters "
    "that reorder text are escaped.";

/// Characters that are not escaped.
enum class Printed : std::uint8_t {
  kHarmless,  ///< those that the C library prints, except those that reorder the text around them
  kAsGnu,     ///< all that the C library prints, as in GNU programs
};

/// Length of the UTF-8 character at the start of `text` if it is not to be escaped, else 0. `text`
/// must not be empty.
[[nodiscard]] std::size_t printed_bytes(std::string_view text, Printed printed);

/// Quotes a name as ls does on a terminal (quoting style shell-escape): a name that a shell would
/// split is put in quotes, and bytes that could move the cursor or reorder text become $'\n' or
/// $'\033', so that the printed name can be pasted back. Plain names are returned unchanged.
struct ShellQuoting {
  bool always = false;      ///< quotes even plain names (as %N of stat)
  bool escapes = true;      ///< false: unprintable characters stay unchanged
  std::string_view also{};  ///< further characters that need quotes
  Printed printed = Printed::kHarmless;
};
[[nodiscard]] std::string shell_quoted(std::string_view name, const ShellQuoting& how = {});

/// Escapes as C does: unprintable characters, backslashes, and the characters of `also`.
[[nodiscard]] std::string c_escaped(std::string_view name, std::string_view also, Printed printed);

/// Prints one question mark for each character without a width and each invalid byte, as ls -q.
[[nodiscard]] std::string with_question_marks(std::string_view name);

/// Number of bytes at the start of `text` that count as one character for the C library, and so for
/// ls: a valid character, or one of up to six bytes as UTF-8 allowed before RFC 3629; the whole
/// text if it is the beginning of one; else a single byte. `text` must not be empty.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// Columns that UTF-8 text takes on a terminal: controls and combining marks take none, East Asian
/// wide characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace dgfs::tools
