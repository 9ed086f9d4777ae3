// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// find -regex: uses the C library's matcher, which has the syntaxes of GNU find.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/find/expression.h"

namespace dgfs::tools {

/// The GNU syntax bits for a name of -regextype. Errors: kInvalidArgument.
[[nodiscard]] Result<unsigned long> regex_syntax(std::string_view name);
/// Whether the pattern matches the whole path.
[[nodiscard]] Result<FindTest> regex_test(const std::string& pattern, unsigned long syntax,
                                          bool any_case);

}  // namespace dgfs::tools
