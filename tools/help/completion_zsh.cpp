// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The script uses _arguments of zsh; each command is one call of it.
#include "tools/help/completion_zsh.h"

#include <fmt/format.h>

namespace dgfs::tools {
namespace {

constexpr char kZshFunctions[] = R"zsh(
# Paths inside the image; directories end with a slash and want more to follow.
_dgfs_paths() {
  local -a index paths
  [[ -n $line[1] ]] || return 1
  [[ -n ${opt_args[--index]} ]] && index=(--index ${(Q)opt_args[--index]})
  paths=(${(f)"$($program help --paths $index -- ${(Q)~line[1]} ${(Q)PREFIX} 2>/dev/null)"})
  compadd -S '' -- ${(M)paths:#*/}
  compadd -- ${paths:#*/}
}
)zsh";

constexpr char kMain[] = R"zsh(
_dgfs() {
  local curcontext=$curcontext state program=$words[1] command=$words[2]
  local -a line
  local -A opt_args
  if (( CURRENT == 2 )); then
    _describe -t commands 'dgfs command' _dgfs_commands
    return
  fi
  shift words
  (( CURRENT-- ))
  _dgfs_command && return
  [[ $state == path ]] && _dgfs_paths
}

_dgfs "$@"
)zsh";

/// The text between single quotes.
std::string zsh_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// Escapes the text, because colons and brackets separate the fields of a specification.
std::string field(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string_view action_of(Place place) {
  switch (place) {
    case Place::kAnything:
      break;
    case Place::kFile:
      return "_files";
    case Place::kDirectory:
      return "_directories";
    case Place::kImagePath:
      return "->path";
    case Place::kUser:
      return "_users";
    case Place::kGroup:
      return "_groups";
  }
  return " ";
}

/// ":FILE:_files", which follows an option's help.
std::string value_spec(const OptionDescription& option) {
  if (option.value_name.empty()) return "";
  const std::string action = option.choices.empty()
                                 ? std::string(action_of(place_of(option.value_name)))
                                 : fmt::format("({})", fmt::join(option.choices, " "));
  return fmt::format("{}{}:{}", option.value_optional ? "::" : ":", field(option.value_name),
                     action);
}

std::string option_specs(const OptionDescription& option) {
  std::string out;
  for (const std::string& name : option.names) {
    std::string spec = "*" + name;
    if (option.value_optional) {
      spec += "=-";
    } else if (!option.value_name.empty()) {
      spec += name.starts_with("--") ? "=" : "+";
    }
    spec += "[" + field(option.help) + "]" + value_spec(option);
    out += " \\\n        " + zsh_quoted(spec);
  }
  return out;
}

std::string operand_specs(const OperandPlaces& operands) {
  std::string out;
  for (std::size_t i = 0; i < operands.names.size(); ++i) {
    const bool repeats = operands.last_repeats && i + 1 == operands.names.size();
    const std::string& name = operands.names[i];
    const auto choices = choices_of(name);
    const std::string action = choices.empty() ? std::string(action_of(place_of(name)))
                                               : fmt::format("({})", fmt::join(choices, " "));
    out +=
        " \\\n        " + zsh_quoted(fmt::format("{}:{}:{}", repeats ? "*" : std::to_string(i + 1),
                                                 field(name), action));
  }
  return out;
}

std::string zsh_command_case(const CompletedCommand& command) {
  std::string specs;
  for (const OptionDescription& option : command.description.options) {
    specs += option_specs(option);
  }
  for (const std::string& word : command.description.words) {
    if (word.starts_with("-") && !word.starts_with("--")) {
      specs += " \\\n        " + zsh_quoted("*" + field(word) + "[part of the expression]");
    }
  }
  specs += operand_specs(operand_places(command.description.operands));
  return fmt::format("    {})\n      _arguments -C -S{}\n      ;;\n", command.name, specs);
}

}  // namespace

std::string zsh_completion(std::span<const CompletedCommand> commands) {
  std::string names;
  std::string cases;
  for (const CompletedCommand& command : commands) {
    names += "  " + zsh_quoted(command.name + ":" + field(command.summary)) + "\n";
    cases += zsh_command_case(command);
  }
  return fmt::format(
             "#compdef dgfs\n# zsh completion for dgfs. Made by 'dgfs help --completion zsh'.\n\n"
             "typeset -ga _dgfs_commands=(\n{})\n{}\n_dgfs_command() {{\n  case $command in\n{}"
             "    *) return 1 ;;\n  esac\n}}\n",
             names, kZshFunctions, cases) +
         kMain;
}

}  // namespace dgfs::tools
