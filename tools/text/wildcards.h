// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Wildcards of the commands that are used like ls, du, find and a shell: fnmatch(3), as those have
// it. rules/glob.h is another engine, and has to be: rules of a build follow rsync, whose '*' stops
// at a slash and whose '**' does not, and count bytes, while here '*' passes slashes, '?' takes a
// whole character, and a bracket without an end stands for itself.
#pragma once

#include <fnmatch.h>

#include <cstdint>
#include <string>

namespace dgfs::tools {

enum class WildcardCase : std::uint8_t {
  kExact,
  kAny,  ///< letters fit in either case
};

/// Whether all of `text` fits the pattern.
[[nodiscard]] inline bool fits_wildcards(const std::string& pattern, const std::string& text,
                                         WildcardCase letters = WildcardCase::kExact) {
  const int flags = letters == WildcardCase::kAny ? FNM_CASEFOLD : 0;
  return ::fnmatch(pattern.c_str(), text.c_str(), flags) == 0;
}

/// The same for a name in a directory: a dot at its begin fits no wildcard.
[[nodiscard]] inline bool fits_as_in_shell(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

}  // namespace dgfs::tools
