// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/rule_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "rules/path_list.h"
#include "tools/cli/text_input.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

constexpr const char* kSyntax =
    "  name        this name in any directory; * ? [a-z] are wildcards in it\n"
    "  name/       directories only\n"
    "  /name       at the root of the tree only\n"
    "  dir/name    at the end of the path; * ? [a-z] do not match /\n"
    "  dir/**/x    ** matches / too\n"
    "  dir/***     dir and all below it\n"
    "  + PATTERN, - PATTERN   include, exclude, whatever the option says\n"
    "  !           drops all rules before it\n";

constexpr const char* kStandardInput = "-";

/// The lines of a list without its comments. Lists that end names with NULs are written by programs
/// and have no comments: a name may begin with any byte.
std::vector<std::string_view> entries_of(std::string_view text, char separator) {
  auto lines = rules::split_lines(text, separator);
  if (separator == '\n') {
    std::erase_if(lines, [](auto line) { return line[0] == '#' || line[0] == ';'; });
  }
  return lines;
}

/// The line number of an entry in a list, counted from 1.
std::size_t line_number(std::string_view text, std::string_view entry, char separator) {
  const auto begin = static_cast<std::size_t>(entry.data() - text.data());
  const auto before = text.substr(0, begin);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), separator));
}

bool leads_out(std::string_view clean_path) {
  return clean_path == ".." || clean_path.starts_with("../");
}

}  // namespace

void RuleOptions::add_rule_option(OptionParser& options, const std::string& name,
                                  const std::string& value_name, const std::string& help,
                                  rules::RuleAction action, Source source) {
  options.on_value(name, value_name, help, [this, action, source](const std::string& value) {
    given_.push_back({action, source, value});
    return ok();
  });
}

void RuleOptions::add_to(OptionParser& options) {
  using rules::RuleAction;
  add_rule_option(options, "--exclude", "PATTERN", "Leave out what matches (see Rules)",
                  RuleAction::kExclude, Source::kPattern);
  add_rule_option(options, "--include", "PATTERN", "Keep what matches, whatever later rules say",
                  RuleAction::kInclude, Source::kPattern);
  add_rule_option(options, "--exclude-from", "FILE",
                  "Exclude the patterns in FILE, one per line; # and ; begin comments",
                  RuleAction::kExclude, Source::kFile);
  add_rule_option(options, "--include-from", "FILE", "Include the patterns in FILE",
                  RuleAction::kInclude, Source::kFile);
  options.values(
      "--files-from", "FILE",
      "Take only the paths in FILE, one per line, each with everything below it; a/../b is b; # "
      "and ; begin comments (./# is a name), but not with -0; - is the standard input, here and "
      "in the other options that read lists",
      path_files_);
  options.on_flag("-0,--from0", "Patterns and paths in files end with a NUL, not a newline",
                  [this](const auto&) -> Status {
                    separator_ = '\0';
                    return ok();
                  });
  options.section({"Rules",
                   "Rules are tried in the given order, as by rsync(1). The first one that matches "
                   "decides; what matches no rule is kept. A directory that is left out is not "
                   "entered. Paths begin at the root of the tree.",
                   kSyntax});
}

Status RuleOptions::read_rules(const ToolIo& io, const Given& given,
                               rules::PathRules& rules) const {
  if (given.source == Source::kPattern) {
    rules.add_text(given.action, given.value);
    return ok();
  }
  DGFS_TRY(text, read_text(io, given.value));
  for (const auto line : entries_of(text, separator_)) rules.add_text(given.action, line);
  return ok();
}

Result<std::vector<std::string>> RuleOptions::read_paths(const ToolIo& io,
                                                         const std::string& file) const {
  DGFS_TRY(text, read_text(io, file));
  const auto lines = entries_of(text, separator_);
  std::vector<std::string> paths;
  for (const auto line : lines) {
    const bool has_parent = line.find("..") != line.npos;
    paths.push_back(has_parent ? rules::clean_path(line) : std::string(line));
    if (paths.back().empty()) paths.back() = ".";
    if (!has_parent || !leads_out(paths.back())) continue;
    return Error(ErrorKind::kInvalidArgument, 6230,
                 fmt::format("line {}: {} leads out of the tree",
                             line_number(text, line, separator_), shell_quoted(line)))
        .in_file(file);
  }
  if (!paths.empty()) return paths;
  return Error(ErrorKind::kInvalidArgument, 6058, "names no path").in_file(file);
}

Status RuleOptions::check_standard_input() const {
  auto uses = std::count(path_files_.begin(), path_files_.end(), kStandardInput);
  uses += std::count_if(given_.begin(), given_.end(), [](const Given& given) {
    return given.source == Source::kFile && given.value == kStandardInput;
  });
  if (uses < 2) return ok();
  return Error(ErrorKind::kInvalidArgument, 6059,
               "'-' is given twice, but the standard input can be read only once");
}

Result<RuleOptions::Choice> RuleOptions::read(const ToolIo& io) const {
  DGFS_CHECK(check_standard_input());
  Choice choice;
  for (const auto& given : given_) {
    DGFS_CHECK(read_rules(io, given, choice.rules));
  }
  for (const auto& file : path_files_) {
    DGFS_TRY(paths, read_paths(io, file));
    choice.paths.insert(choice.paths.end(), std::make_move_iterator(paths.begin()),
                        std::make_move_iterator(paths.end()));
  }
  return choice;
}

}  // namespace dgfs::tools
