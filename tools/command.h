// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The commands: one function each, and the table of all of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/tool_io.h"

namespace dgfs::tools {

using CommandFunction = int (*)(const ToolIo& io, const Arguments& arguments);

struct Command {
  const char* name;
  const char* operands;
  const char* summary;  ///< "list directories"
  CommandFunction run;
};

/// All commands, in the order of the help.
[[nodiscard]] std::span<const Command> commands();
/// Returns nullptr if there is no such command.
[[nodiscard]] const Command* find_command(const std::string& name);
/// Reports an unknown name, with a similar one if there is one. Returns the exit code.
[[nodiscard]] int unknown_command(const ToolIo& io, const std::string& name);

[[nodiscard]] int run_build(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_mount(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_ls(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_stat(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_cat(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_find(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_du(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_info(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_verify(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_digest(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_diff(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_extract(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_salvage(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_volume(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_delta(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_merge(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_update(const ToolIo& io, const Arguments& arguments);
[[nodiscard]] int run_help(const ToolIo& io, const Arguments& arguments);

}  // namespace dgfs::tools
