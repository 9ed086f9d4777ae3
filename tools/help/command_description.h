// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a command says about itself: the one source of its --help, its manual page and its
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
  std::vector<std::string> choices = {};  ///< values worth offering; empty where anything may stand
  std::string help;
};

/// A block of lines that is printed as it stands, after the options.
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

/// What only the manual page says, but for the exit statuses, which end the help as well.
struct Manual {
  std::vector<std::string> paragraphs = {};  ///< of the description, after the summary
  std::vector<Example> examples = {};
  /// In place of the usual ones: 0 done, 1 failed, 2 wrong usage.
  std::vector<ExitStatus> exit_statuses = {};
  std::vector<std::string> see_also = {};  ///< beside dgfs(1): "tar(1)"
};

struct CommandDescription {
  std::string command;   ///< "dgfs ls"
  std::string operands;  ///< "IMAGE [PATH]..."
  std::string summary;
  std::vector<OptionDescription> options;
  std::vector<HelpSection> sections;
  std::vector<std::string> words;  ///< that may stand where operands do: find's -name
  Manual manual;
};

/// Receives a description in place of a run.
using DescriptionSink = std::function<void(CommandDescription)>;

}  // namespace dgfs::tools
