// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// find -regex: the C library's matcher, whose syntaxes are those of GNU find.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/find/expression.h"

namespace dgfs::tools {

/// Bits of regcomp's GNU syntaxes by their name in -regextype. kInvalidArgument.
[[nodiscard]] Result<unsigned long> regex_syntax(std::string_view name);
/// Whether the whole path fits.
[[nodiscard]] Result<FindTest> regex_test(const std::string& pattern, unsigned long syntax,
                                          bool any_case);

}  // namespace dgfs::tools
