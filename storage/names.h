// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Rules for names. Every implementation of Directory refuses the same names with the same errors,
// so that no name leads out of the tree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::storage {

/// Longest name of one directory entry in bytes (NAME_MAX of Linux).
inline constexpr std::size_t kNameBytesMax = 255;

/// kInvalidArgument unless `name` is one component: 1 to 255 bytes, no '/', no NUL, not "." or
/// "..". `directory_path` is for the message.
[[nodiscard]] Status check_name(std::string_view name, const std::string& directory_path);

/// Like check_name, but allows an empty name (the directory itself).
[[nodiscard]] Status check_name_or_self(std::string_view name, const std::string& directory_path);

/// kInvalidArgument if `text` contains a NUL, where a system call would cut it short. `what` names
/// the text in the message ("path", "link target", "attribute name").
[[nodiscard]] Status check_no_nul(std::string_view text, std::string_view what,
                                  const std::string& path);

/// kInvalidArgument unless the nanoseconds are below a second.
[[nodiscard]] Status check_time(const Time& time, const std::string& path);

/// ".NAME.abcdef0123.SUFFIX": the name of a file that needs one before it is complete, or while it
/// is being removed. `random` (a few bytes) gives the hexadecimal digits. NAME is shortened so that
/// the result is a valid name.
[[nodiscard]] std::string hidden_name(std::string_view name, Bytes random, std::string_view suffix);

/// Whether hidden_name() can make `hidden` from `name` and `suffix`, with any random bytes.
[[nodiscard]] bool is_hidden_name_of(std::string_view hidden, std::string_view name,
                                     std::string_view suffix);

/// "dir" + "name" -> "dir/name"; an empty name gives "dir", an empty directory "name".
[[nodiscard]] std::string join_path(const std::string& directory_path, std::string_view name);

}  // namespace dgfs::storage
