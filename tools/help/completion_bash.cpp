// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The script consists of a table of all commands (a case for each) and functions that look it up.
#include "tools/help/completion_bash.h"

#include <fmt/format.h>

namespace dgfs::tools {
namespace {

// Reads the words up to the cursor. Bash breaks words at '=' and ':'; the script joins them again.
// Bash then replaces only the last piece, so offers must omit the text before it.
constexpr char kBashFunctions[] = R"bash(
_dgfs_words() {
  local rest=$COMP_LINE piece spaced i
  words=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    piece=${COMP_WORDS[i]}
    spaced=${rest%%[![:space:]]*}
    rest=${rest#"$spaced"}
    rest=${rest#"$piece"}
    if ((i > 1)) && [[ -z $spaced && ($piece == [=:]* || ${COMP_WORDS[i - 1]} == *[=:]) ]]; then
      words[${#words[@]} - 1]+=$piece
    else
      words+=("$piece")
    fi
  done
}

# A word as the program would get it, as far as that takes no evaluation.
_dgfs_plain() {
  plain=$1
  [[ $plain == [\"\']* ]] && plain=${plain:1}
  [[ $plain == *[\"\'] ]] && plain=${plain%?}
  plain=${plain//\\/}
  [[ $plain == '~/'* ]] && plain=$HOME/${plain:2}
}

_dgfs_offer() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$2$line"); done < <(compgen "${@:3}" -- "$1")
}

# Paths inside the image; directories end with a slash and want more to follow.
_dgfs_paths() {
  local plain line image index=()
  [ -n "$image_word" ] || return
  _dgfs_plain "$image_word"
  image=$plain
  if [ -n "$index_word" ]; then
    _dgfs_plain "$index_word"
    index=(--index "$plain")
  fi
  _dgfs_plain "$1"
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("${words[0]}" help --paths "${index[@]}" -- "$image" "$plain" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
}

# _dgfs_place PLACE BEGINNING BEFORE: offers what can stand there, with BEFORE before it. Of a
# list with commas it completes the last word.
_dgfs_place() {
  case $1 in
    file) compopt -o filenames 2>/dev/null; _dgfs_offer "$2" "$3" -f ;;
    directory) compopt -o filenames 2>/dev/null; _dgfs_offer "$2" "$3" -d ;;
    path) _dgfs_paths "$2" ;;
    user) _dgfs_offer "$2" "$3" -u ;;
    group) _dgfs_offer "$2" "$3" -g ;;
    =*)
      [[ $2 == *,* ]] && list=${2%,*},
      _dgfs_offer "${2##*,}" "$3$list" -W "${1#=}"
      [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
      ;;
  esac
}

_dgfs() {
  local words list='' options valued operands repeats extra value image_word='' index_word=''
  local cursor previous place i count=0 before piece
  COMPREPLY=()
  _dgfs_words
  i=$((${#words[@]} - 1))
  cursor=${words[i]}
  previous=${words[i - 1]}
  if ((i == 1)); then
    _dgfs_offer "$cursor" '' -W "$_dgfs_commands"
    return
  fi
  _dgfs_command "${words[1]}" || return

  local options_end=0
  for ((i = 2; i < ${#words[@]} - 1; ++i)); do
    if ((options_end)); then
      :
    elif [[ ${words[i]} == -- ]]; then
      options_end=1
      continue
    elif [[ ${words[i]} == --index=* ]]; then
      index_word=${words[i]#*=}
      continue
    elif [[ " $valued " == *" ${words[i]} "* ]]; then
      [[ ${words[i]} == --index ]] && index_word=${words[i + 1]}
      i=$((i + 1))
      continue
    elif [[ ${words[i]} == -?* ]]; then
      continue
    fi
    [[ ${operands[count]} == image ]] && image_word=${words[i]}
    count=$((count + 1))
  done

  before=''
  if ((!options_end)) && [[ $cursor == --*=* ]]; then
    _dgfs_value "${words[1]}" "${cursor%%=*}"
    _dgfs_place "$value" "${cursor#*=}" "${cursor%%=*}="
  elif ((!options_end && i >= ${#words[@]})); then
    _dgfs_value "${words[1]}" "$previous"
    _dgfs_place "$value" "$cursor" ''
  elif ((!options_end)) && [[ $cursor == -* ]]; then
    _dgfs_place "=$options $extra" "$cursor" ''
  else
    if ((count >= ${#operands[@]} && repeats)); then count=$((${#operands[@]} - 1)); fi
    place=${operands[count]}
    [[ $place == image ]] && place=file
    _dgfs_place "$place" "$cursor" ''
  fi

  piece=${COMP_WORDS[COMP_CWORD]}
  [[ $piece == [=:] ]] && piece=''
  before=${cursor%"$piece"}
  if [ -n "$before" ]; then COMPREPLY=("${COMPREPLY[@]#"$before"}"); fi
}

complete -F _dgfs dgfs
)bash";

std::string_view place_text(Place place) {
  switch (place) {
    case Place::kAnything:
      break;
    case Place::kFile:
      return "file";
    case Place::kDirectory:
      return "directory";
    case Place::kImagePath:
      return "path";
    case Place::kUser:
      return "user";
    case Place::kGroup:
      return "group";
  }
  return "''";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// The allowed values of the option: a place, or "=" and the choices.
std::string value_text(const OptionDescription& option) {
  if (!option.choices.empty()) return "'=" + joined(option.choices) + "'";
  return std::string(place_text(place_of(option.value_name)));
}

std::string operands_text(const OperandPlaces& operands) {
  std::vector<std::string> places;
  for (const std::string& name : operands.names) {
    if (const auto choices = choices_of(name); !choices.empty()) {
      places.push_back("'=" + joined(choices) + "'");
    } else {
      places.emplace_back(name == "IMAGE" ? "image" : place_text(place_of(name)));
    }
  }
  return joined(places);
}

std::string bash_command_case(const CompletedCommand& command) {
  std::vector<std::string> options;
  std::vector<std::string> valued;  // options that take the next word
  for (const OptionDescription& option : command.description.options) {
    for (const std::string& name : option.names) {
      options.push_back(option.value_optional ? name + "=" : name);
      if (!option.value_name.empty() && !option.value_optional) valued.push_back(name);
    }
  }
  const OperandPlaces operands = operand_places(command.description.operands);
  return fmt::format(
      "    {})\n      options='{}'\n      valued='{}'\n      operands=({})\n      repeats={}\n"
      "      extra='{}'\n      ;;\n",
      command.name, joined(options), joined(valued), operands_text(operands),
      operands.last_repeats ? 1 : 0, joined(command.description.words));
}

std::string value_cases(const CompletedCommand& command) {
  std::string out;
  for (const OptionDescription& option : command.description.options) {
    if (option.value_name.empty()) continue;
    for (const std::string& name : option.names) {
      out += fmt::format("    {}:{}) value={} ;;\n", command.name, name, value_text(option));
    }
  }
  return out;
}

}  // namespace

std::string bash_completion(std::span<const CompletedCommand> commands) {
  std::vector<std::string> names;
  std::string tables;
  std::string values;
  for (const CompletedCommand& command : commands) {
    names.push_back(command.name);
    tables += bash_command_case(command);
    values += value_cases(command);
  }
  return fmt::format(
             "# bash completion for dgfs. Made by 'dgfs help --completion bash'.\n\n"
             "_dgfs_commands='{}'\n\n"
             "# Sets options, valued, operands, repeats and extra for a command.\n"
             "_dgfs_command() {{\n  case $1 in\n{}    *) return 1 ;;\n  esac\n}}\n\n"
             "# Sets value: the kind of word that may follow an option of a command.\n"
             "_dgfs_value() {{\n  value=''\n  case $1:$2 in\n{}  esac\n}}\n",
             joined(names), tables, values) +
         kBashFunctions;
}

}  // namespace dgfs::tools
