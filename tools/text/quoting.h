// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of any bytes, made safe for terminals, messages and JSON, and measured in columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/printable.h"

namespace dgfs::tools {

/// What manuals say of the names that a command prints.
inline constexpr char kNamesHelp[] =
    "Names that could fool a terminal or a shell are quoted on a terminal, as ls does; a pipe gets "
    "them as they are.";

/// What manuals say about --json.
inline constexpr char kJsonHelp[] =
    "In JSON, names are strings; bytes of a name that are no valid UTF-8 become the lone "
    "surrogates "
    "\\udc80 to \\udcff, one for each byte, as Python's error handler surrogateescape has "
    "them, "
    "so that the exact name can be recovered. Control characters and those that reorder text are "
    "escaped.";

/// Characters that stay as they are where others are escaped.
enum class Printed : std::uint8_t {
  kHarmless,  ///< those that the C library prints, but not what reorders the text around it
  kAsGnu,     ///< all that the C library prints, as in GNU's programs
};

/// Length of the UTF-8 character at the start of `text` if it is to stay as it is, else 0. `text`
/// must not be empty.
[[nodiscard]] std::size_t printed_bytes(std::string_view text, Printed printed);

/// As ls on a terminal (quoting style shell-escape): a name that a shell would take apart is put
/// in quotes, bytes that could move the cursor or reorder text become $'\n' or $'\033', so that
/// what is shown can be pasted back. Plain names are returned as they are.
struct ShellQuoting {
  bool always = false;      ///< in quotes also where none are needed (as stat's %N)
  bool escapes = true;      ///< false: what cannot be printed stays as it is
  std::string_view also{};  ///< further characters that need quotes
  Printed printed = Printed::kHarmless;
};
[[nodiscard]] std::string shell_quoted(std::string_view name, const ShellQuoting& how = {});

/// With C's escapes for what is not printed, and a backslash before backslashes and the characters
/// of `also`.
[[nodiscard]] std::string c_escaped(std::string_view name, std::string_view also, Printed printed);

/// With one question mark for each character that has no width, or byte that is none: ls -q.
[[nodiscard]] std::string with_question_marks(std::string_view name);

/// Bytes at the start of `text` that count as one character, as the C library counts, and ls with
/// it: a valid one, or one of up to six bytes that UTF-8 had before RFC 3629; all of the rest where
/// it is the beginning of one; else a single byte. `text` must not be empty.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// Columns that UTF-8 text takes on a terminal: controls and combining marks none, East Asian wide
/// characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace dgfs::tools
