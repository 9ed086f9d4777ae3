// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// find -printf.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tools/find/expression.h"

namespace dgfs::tools {

/// Errors: kInvalidArgument, of the format.
[[nodiscard]] Result<FindTest> printf_action(FindRun& run, std::string_view format);

}  // namespace dgfs::tools
