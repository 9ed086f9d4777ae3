// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mode words, as ls prints them and as chmod and find read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::tools {

/// "-rw-r--r--", "drwxr-sr-t".
[[nodiscard]] std::string mode_text(std::uint32_t mode);
/// First letter of mode_text(): one of - d l p s c b, or '?' for any other type.
[[nodiscard]] char type_letter(std::uint32_t mode);
/// The letter of find -type: f for regular files.
[[nodiscard]] char find_type_letter(std::uint32_t mode);
/// "regular file", "symbolic link", as %F of stat prints.
[[nodiscard]] std::string_view type_text(std::uint32_t mode);
/// "file", "directory", "symlink", "fifo", "socket", "char", "block": the words in JSON.
[[nodiscard]] std::string_view type_word(std::uint32_t mode);
/// Octal ("0644") or symbolic ("u=rw,go+r", starting from 0). Errors: kInvalidArgument.
[[nodiscard]] Result<std::uint32_t> parse_mode(std::string_view text);

/// Major and minor number of a device in Linux's encoding.
[[nodiscard]] std::uint32_t device_major(std::uint64_t rdev);
[[nodiscard]] std::uint32_t device_minor(std::uint64_t rdev);

}  // namespace dgfs::tools
