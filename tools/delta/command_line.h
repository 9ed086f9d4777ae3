// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The command line of dgfs delta: what each action takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/layer/retention.h"
#include "tools/cli/option_parser.h"
#include "tools/delta/merge.h"
#include "tools/delta/stack_command.h"

namespace dgfs::tools {

/// "info|check|...": all actions, as the usage shows them.
[[nodiscard]] std::string delta_actions();

/// Options of all actions. A value; but once they are added to a parser, they must stay where they
/// are.
struct DeltaCommandLine {
  StackCommandOptions stacks;
  std::optional<std::string> name;
  bool waits = false;
  std::optional<std::string> as_of;
  MergeDeltaOptions merge;
  bool cancels = false;
  bool has_merge_option = false;  ///< one that only merges take
  bool dry_run = false;
  bool yes = false;
  layer::KeepRules rules;
  bool has_rule = false;
  std::uint64_t seconds_max = 0;

  void add_to(OptionParser& parser);
  /// Why the command line makes no sense; none: it does.
  /// @param operands  an action, a delta, and states
  [[nodiscard]] std::optional<std::string> wrong_usage(
      const std::vector<std::string>& operands) const;

 private:
  void add_merge_options(OptionParser& parser);
  void add_rules(OptionParser& parser);
  [[nodiscard]] std::optional<std::string> wrong_operands(
      const std::vector<std::string>& operands) const;
  [[nodiscard]] std::optional<std::string> wrong_option(std::string_view action) const;
};

}  // namespace dgfs::tools
