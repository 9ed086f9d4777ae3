// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The options that choose paths of a tree: --include, --exclude, --include-from, --exclude-from,
// --files-from, --from0.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "rules/path_rules.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/tool_io.h"

namespace dgfs::tools {

class RuleOptions {
 public:
  struct Choice {
    rules::PathRules rules;
    std::vector<std::string> paths;  ///< from --files-from; empty if that was not given
  };

  /// *this must outlive the parser.
  void add_to(OptionParser& options);

  /// Reads each named file once; pipes and the standard input ("-") are allowed. Call it after
  /// parsing. Errors: those of reading; kInvalidArgument for a list without a path or with a path
  /// that leads out of the tree, or for a second "-"; kLimit for a file beyond 1 GiB.
  [[nodiscard]] Result<Choice> read(const ToolIo& io) const;

 private:
  enum class Source : bool { kPattern, kFile };
  struct Given {
    rules::RuleAction action;
    Source source;
    std::string value;
  };
  void add_rule_option(OptionParser& options, const std::string& name,
                       const std::string& value_name, const std::string& help,
                       rules::RuleAction action, Source source);
  [[nodiscard]] Status read_rules(const ToolIo& io, const Given& given,
                                  rules::PathRules& rules) const;
  [[nodiscard]] Result<std::vector<std::string>> read_paths(const ToolIo& io,
                                                            const std::string& file) const;
  [[nodiscard]] Status check_standard_input() const;

  std::vector<Given> given_;
  std::vector<std::string> path_files_;
  char separator_ = '\n';
};

}  // namespace dgfs::tools
