// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of any bytes, made safe for terminals, messages and JSON, and measured in columns.
#pragma once

#include <string>
#include <string_view>

#include "base/printable.h"

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

/// Bytes at the start of `text` that count as one character, as the C library counts, and ls with
/// it: a valid one, or one of up to six bytes that UTF-8 had before RFC 3629; all of the rest where
/// it is the beginning of one; else a single byte. `text` must not be empty.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// Columns that UTF-8 text takes on a terminal: controls and combining marks none, East Asian wide
/// characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace dgfs::tools
