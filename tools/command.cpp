// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/cli/suggestion.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

constexpr Command kCommands[] = {
    {"build", "SRC IMAGE", "pack a directory tree into an image and its index", run_build},
    {"mount", "IMAGE DIR", "mount an image, read-only or with a delta for changes", run_mount},
    {"ls", "IMAGE [PATH]...", "list directories", run_ls},
    {"stat", "IMAGE [PATH]...", "show all attributes of files", run_stat},
    {"cat", "IMAGE PATH...", "print the contents of files", run_cat},
    {"find", "IMAGE [PATH]... [EXPRESSION]", "search for files by their attributes", run_find},
    {"du", "IMAGE [PATH]...", "sum up the space that files take", run_du},
    {"info", "IMAGE", "show what an image consists of", run_info},
    {"verify", "IMAGE", "read everything and report damage", run_verify},
    {"digest", "IMAGE [PATH]...", "list the digests of files that the index keeps", run_digest},
    {"diff", "A B [PATH]...", "compare two images, or an image and a directory", run_diff},
    {"extract", "IMAGE DEST [PATH]...", "write files out of an image", run_extract},
    {"salvage", "IMAGE DEST", "save the intact parts of a damaged image, list the rest",
     run_salvage},
    {"volume", "list|move IMAGE [NUMBER DEST]", "list the volumes of an image, or move one",
     run_volume},
    {"delta", "ACTION DIR [STATE]...",
     "show, check, seal, merge a delta; list, join, drop its states", run_delta},
    {"merge", "IMAGE", "pack an image and its delta into a new image", run_merge},
    {"update", "IMAGE SRC", "make the newest state of a delta what a directory is", run_update},
    {"help", "[COMMAND]", "explain commands and their options", run_help},
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

}  // namespace dgfs::tools
