// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads the files that options name: lists of paths and of patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// Reads all of a file, FIFO or pipe; "-" is the standard input. Errors: kLimit (above 1 GiB),
/// those of opening and reading.
[[nodiscard]] Result<std::string> read_text(const ToolIo& io, const std::string& path);

/// Splits names that each end with a NUL, as find -print0 writes them; the last one may lack it.
/// Keeps empty names.
[[nodiscard]] std::vector<std::string> terminated_names(std::string_view text);

}  // namespace dgfs::tools
