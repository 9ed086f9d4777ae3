// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The wildcards of fnmatch(3), for the commands that resemble ls, du, find and a shell, which use
// it too. rules/glob.h is a separate engine, because build rules follow rsync: there
// '*' stops at a slash, '**' does not, and '?' counts bytes. Here '*' passes slashes, '?' matches a
// whole character, and a bracket without an end stands for itself.
#pragma once

#include <fnmatch.h>

#include <cstdint>
#include <string>

namespace dgfs::tools {

enum class WildcardCase : std::uint8_t {
  kExact,
  kAny,  ///< letters match in either case
};

/// Whether the pattern matches all of `text`.
[[nodiscard]] inline bool fits_wildcards(const std::string& pattern, const std::string& text,
                                         WildcardCase letters = WildcardCase::kExact) {
  const int flags = letters == WildcardCase::kAny ? FNM_CASEFOLD : 0;
  return ::fnmatch(pattern.c_str(), text.c_str(), flags) == 0;
}

/// The same for a name in a directory: no wildcard matches a dot at its beginning.
[[nodiscard]] inline bool fits_as_in_shell(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

}  // namespace dgfs::tools
