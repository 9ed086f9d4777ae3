// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The dgfs program as a function: main() wires it to the process, tests call it directly.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// Runs one command line, without the program's name: {"ls", "-l", "tree.dgfs"}. Prints nothing
/// anywhere but to `io`; both outputs are flushed.
[[nodiscard]] int tool_main(const std::vector<std::string>& arguments, const ToolIo& io);

/// Whether the command runs until a signal ends it, and handles signals itself.
[[nodiscard]] bool handles_signals(const std::vector<std::string>& arguments);

}  // namespace dgfs::tools
