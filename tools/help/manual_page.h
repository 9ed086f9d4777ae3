// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Manual pages in man(7), made from the descriptions of commands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/help/command_description.h"

namespace dgfs::tools {

/// The text at the foot of each page.
struct Edition {
  std::string version;
  std::string date;  ///< of the release, "2026-11-21"
};

/// A command in the list of the program's page.
struct CommandLine {
  std::string name;      ///< "ls"
  std::string operands;  ///< "IMAGE [PATH]..."
  std::string summary;   ///< "list directories"
};

/// The exit statuses of `manual`, or the usual ones if it has none.
[[nodiscard]] std::vector<ExitStatus> exit_statuses(const Manual& manual);

/// The page of one command: "dgfs ls" makes dgfs-ls(1).
/// @param summary  for the line under NAME: "list directories"
[[nodiscard]] std::string manual_page(const CommandDescription& command, const std::string& summary,
                                      const Edition& edition);

/// The page of the program, which names all commands: dgfs(1).
[[nodiscard]] std::string overview_page(std::span<const CommandLine> commands, const Manual& manual,
                                        const Edition& edition);

}  // namespace dgfs::tools
