// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>

#include "tools/cli/suggestion.h"
#include "tools/command.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

int dispatch(const Arguments& arguments, const ToolIo& io) {
  if (arguments.empty()) {
    static_cast<void>(run_help({.env = io.env, .out = io.err, .err = io.err, .stop = io.stop}, {}));
    return kExitUsage;
  }
  const std::string& name = arguments[0];
  if (name == "--version" || name == "-V" || name == "version") {
    io.out.write(fmt::format("dgfs {}\n", DGFS_VERSION));
    return kExitDone;
  }
  const Arguments others(arguments.begin() + 1, arguments.end());
  if (name == "--help" || name == "-h") return run_help(io, others);
  const Command* command = find_command(name);
  return command == nullptr ? unknown_command(io, name) : command->run(io, others);
}

// By then the command has undone what it began: nothing half-written has a name.
int dispatch_within_memory(const Arguments& arguments, const ToolIo& io) {
  try {
    return dispatch(arguments, io);
  } catch (const std::bad_alloc&) {
    io.err.write("dgfs: not enough memory\n");
    return kExitFailed;
  }
}

}  // namespace

int tool_main(const std::vector<std::string>& arguments, const ToolIo& io) {
  int code = dispatch_within_memory(arguments, io);
  io.out.flush();
  // A command that completed before the signal came keeps its exit code.
  if (io.stop && code != kExitDone) return kExitInterrupted;
  if (io.out.failure() != 0) {
    io.err.write(fmt::format("dgfs: write error: {}\n", std::strerror(io.out.failure())));
    code = std::max(code, kExitFailed);
  }
  io.err.flush();
  return code;
}

bool handles_signals(const std::vector<std::string>& arguments) {
  return !arguments.empty() && arguments[0] == "mount";
}

}  // namespace dgfs::tools
