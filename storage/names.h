// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a name may be. Every implementation of Directory refuses the same names with the same
// errors, so that none can be talked into leaving its tree.
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

/// The same, with an empty name (the directory itself) allowed.
[[nodiscard]] Status check_name_or_self(std::string_view name, const std::string& directory_path);

/// kInvalidArgument for text that a system call would cut short: a NUL inside. `what` names the
/// text in the message ("path", "link target", "attribute name").
[[nodiscard]] Status check_no_nul(std::string_view text, std::string_view what,
                                  const std::string& path);

/// kInvalidArgument unless the nanoseconds are below a second.
[[nodiscard]] Status check_time(const Time& time, const std::string& path);

/// ".NAME.abcdef0123.SUFFIX", hexadecimal digits from `random` (a few bytes), NAME shortened so
/// that it is a file name: what a file is called that must be called something before it is
/// complete, or when it is to go.
[[nodiscard]] std::string hidden_name(std::string_view name, Bytes random, std::string_view suffix);

/// Whether `hidden` is what hidden_name() makes of `name` and `suffix`, with any random bytes.
[[nodiscard]] bool is_hidden_name_of(std::string_view hidden, std::string_view name,
                                     std::string_view suffix);

/// "dir" + "name" -> "dir/name"; an empty name gives "dir".
[[nodiscard]] std::string join_path(const std::string& directory_path, std::string_view name);

}  // namespace dgfs::storage
