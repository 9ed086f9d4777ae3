// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ToolIo: everything outside of a command that it may use; and the exit codes of commands.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "storage/env.h"
#include "tools/cli/output.h"
#include "tools/help/command_description.h"

namespace dgfs::tools {

/// Exit codes. Shells report 130 for SIGINT; main() ends by that signal instead.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;  ///< for example, damage was found or a path is missing
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

/// The words of a command line after the name of the program or command.
using Arguments = std::vector<std::string>;

/// Everything that a command uses. All of it outlives the call.
struct ToolIo {
  storage::Env& env;
  Output& out;
  Output& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t width_columns = 80;  ///< of the terminal
  const std::atomic<bool>& stop;   ///< set: the command ends early with kExitInterrupted
  /// Reads all of a file, FIFO or pipe; "-" is the standard input. Not set: `env` reads files.
  std::function<Result<std::string>(const std::string& path, std::uint64_t bytes_max)> read_stream =
      {};
  /// Set: a command that is asked for help passes its description to this instead of printing.
  const DescriptionSink* describe = nullptr;
  /// Another program reads the output and may use the terminal: "dgfs find IMAGE | less".
  bool out_is_pipe = false;
  /// Reads a line that a user types. Not set: the standard input is no terminal.
  std::function<Result<std::string>()> read_line = {};
};

}  // namespace dgfs::tools
