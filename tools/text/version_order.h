// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Order of names by the numbers in them, as in ls -v and sort -V: "file9" before "file10".
#pragma once

#include <string_view>

namespace dgfs::tools {

/// Below 0, 0 or above 0, as a comes before b, equals b or comes after it. Hidden names come first;
/// endings like ".tar.gz" count only if the rest is equal; '~' comes before everything, even the
/// end; numbers are compared by value, without their leading zeros.
[[nodiscard]] int compare_versions(std::string_view a, std::string_view b);

}  // namespace dgfs::tools
