// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>

#include "tools/command.h"
#include "tools/quoting.h"
#include "tools/suggestion.h"

namespace dgfs::tools {
namespace {

constexpr Command kCommands[] = {
    {"build", "SRC IMAGE", "pack a directory tree into an image and its index", run_build},
    {"mount", "IMAGE DIR", "mount an image read-only", run_mount},
    {"ls", "IMAGE [PATH]...", "list directories", run_ls},
    {"stat", "IMAGE [PATH]...", "show all attributes of files", run_stat},
    {"cat", "IMAGE PATH...", "print the contents of files", run_cat},
    {"find", "IMAGE [PATH]... [EXPRESSION]", "search for files by their attributes", run_find},
    {"du", "IMAGE [PATH]...", "sum up the space that files take", run_du},
    {"info", "IMAGE", "show what an image is made of", run_info},
    {"verify", "IMAGE", "read everything and report what is damaged", run_verify},
    {"digest", "IMAGE [PATH]...", "list the digests of contents that the index keeps", run_digest},
    {"diff", "A B [PATH]...", "tell how two images, or an image and a directory, differ", run_diff},
    {"extract", "IMAGE DEST [PATH]...", "write files out of an image", run_extract},
    {"salvage", "IMAGE DEST", "write what is intact of a damaged image, list the rest",
     run_salvage},
    {"volume", "list|move IMAGE [NUMBER DEST]", "tell where the volumes of an image lie, move one",
     run_volume},
    {"delta", "info|check DIR", "tell what the store of a delta is made of, check all of it",
     run_delta},
    {"help", "[COMMAND]", "tell about commands and their options", run_help},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(const std::string& name) {
  const auto* const end = std::end(kCommands);
  const auto* const found =
      std::find_if(std::begin(kCommands), end, [&](const Command& c) { return name == c.name; });
  return found == end ? nullptr : found;
}

int unknown_command(const ToolIo& io, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  io.err.write(fmt::format("dgfs: {}: unknown command{}\nTry 'dgfs help'.\n", shell_quoted(name),
                           did_you_mean(name, names)));
  return kExitUsage;
}

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

// What a command had begun is undone by then: nothing half-written has a name.
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
  // What was done before the signal came is done.
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
