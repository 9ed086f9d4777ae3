// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whole files that options name: lists of paths and of patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// All of a file, FIFO or pipe; "-" is the standard input. Errors: kLimit (above 1 GiB), those of
/// opening and reading.
[[nodiscard]] Result<std::string> read_text(const ToolIo& io, const std::string& path);

/// Names with a NUL after each, as find -print0 writes them; the last one may lack it. Empty ones
/// are kept.
[[nodiscard]] std::vector<std::string> terminated_names(std::string_view text);

}  // namespace dgfs::tools
