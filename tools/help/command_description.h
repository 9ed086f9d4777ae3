// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The description of a command: the single source of its --help, its manual page and its
// completion.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dgfs::tools {

struct OptionDescription {
  std::vector<std::string> names;         ///< with dashes, short ones first: "-j", "--jobs"
  std::string value_name = {};            ///< "N"; empty for a flag
  bool value_optional = false;            ///< --color[=WHEN]
  std::vector<std::string> choices = {};  ///< values that completion offers; empty: none
  std::string help;
};

/// A block of lines that is printed unchanged after the options.
struct HelpSection {
  std::string title;  ///< "Expression"
  std::string intro;  ///< one sentence, wrapped
  std::string lines;  ///< each ends with a newline and has at most 80 columns
};

struct Example {
  std::string command_line;
  std::string purpose;  ///< one sentence
};

struct ExitStatus {
  int code = 0;
  std::string meaning;
};

/// The parts that only the manual page has; the help also ends with the exit statuses.
struct Manual {
  std::vector<std::string> paragraphs = {};  ///< of the description, after the summary
  std::vector<Example> examples = {};
  /// Replaces the usual ones: 0 done, 1 failed, 2 wrong usage.
  std::vector<ExitStatus> exit_statuses = {};
  std::vector<std::string> see_also = {};  ///< besides dgfs(1): "tar(1)"
};

struct CommandDescription {
  std::string command;   ///< "dgfs ls"
  std::string operands;  ///< "IMAGE [PATH]..."
  std::string summary;
  std::vector<OptionDescription> options;
  std::vector<HelpSection> sections;
  std::vector<std::string> words;  ///< allowed in place of operands: find's -name
  Manual manual;
};

/// Receives the description of a command, which then does not run.
using DescriptionSink = std::function<void(CommandDescription)>;

}  // namespace dgfs::tools
