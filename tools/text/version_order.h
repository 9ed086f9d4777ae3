// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Order of names by the numbers in them, as ls -v and sort -V have it: "file9" before "file10".
#pragma once

#include <string_view>

namespace dgfs::tools {

/// Below 0, 0 or above 0, as a comes before b, is equal or comes after it. Hidden names come
/// first; endings like ".tar.gz" count only where the rest is equal; '~' comes before everything,
/// even the end; numbers are compared as such, whatever zeros they begin with.
[[nodiscard]] int compare_versions(std::string_view a, std::string_view b);

}  // namespace dgfs::tools
