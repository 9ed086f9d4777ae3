// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/color.h"

#include <algorithm>
#include <iterator>

#include "format/entry/mode.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kDefaults =
    "rs=0:di=01;34:ln=01;36:pi=33:so=01;35:bd=01;33:cd=01;33:su=37;41:sg=30;43:st=37;44:ow=34;42:"
    "tw=30;42:ex=01;32";

/// TERM lines of the database of dircolors 9.1.
constexpr const char* kTerminals[] = {
    "Eterm",  "ansi",  "*color*", "con[0-9]*x[0-9]*", "cons25",  "console",    "cygwin", "*direct*",
    "dtterm", "gnome", "hurd",    "jfbterm",          "konsole", "kterm",      "linux",  "linux-c",
    "mlterm", "putty", "rxvt*",   "screen*",          "st",      "terminator", "tmux*",  "vt100",
    "xterm*"};

template <class Each>
void for_each_field(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view field = text.substr(0, end);
    const std::size_t equals = field.find('=');
    if (equals != std::string_view::npos) each(field.substr(0, equals), field.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Accepts only digits and semicolons: other characters in the variable could fool the terminal.
bool is_code(std::string_view text) {
  return text.find_first_not_of("0123456789;") == std::string_view::npos;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ends_with_in_any_case(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::equal(name.begin(), name.end(), ending.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

bool terminal_has_colors(const storage::Env& env) {
  if (!env.variable("COLORTERM").value_or("").empty()) return true;
  const std::string terminal = env.variable("TERM").value_or("");
  return std::any_of(std::begin(kTerminals), std::end(kTerminals),
                     [&](const char* known) { return fits_wildcards(known, terminal); });
}

std::string_view NameColors::normal() const {
  return colors("no") ? std::string_view(codes_.find("no")->second) : std::string_view();
}

NameColors::NameColors(std::string_view ls_colors) {
  for_each_field(kDefaults, [&](auto key, auto value) { codes_[std::string(key)] = value; });
  for_each_field(ls_colors, [&](std::string_view key, std::string_view value) {
    if (!is_code(value) && !(key == "ln" && value == "target")) return;
    if (key.starts_with('*')) {
      by_ending_.emplace_back(key.substr(1), value);
    } else {
      codes_[std::string(key)] = value;
    }
  });
}

bool NameColors::colors(std::string_view key) const {
  const auto found = codes_.find(key);
  return found != codes_.end() && !found->second.empty() && found->second != "0" &&
         found->second != "00";
}

bool NameColors::links_as_targets() const {
  const auto found = codes_.find("ln");
  return found != codes_.end() && found->second == "target";
}

std::string_view NameColors::file_key(const ColoredEntry& entry) const {
  if ((entry.mode & 04000) != 0 && colors("su")) return "su";
  if ((entry.mode & 02000) != 0 && colors("sg")) return "sg";
  if (entry.has_capability && colors("ca")) return "ca";
  if ((entry.mode & 00111) != 0 && colors("ex")) return "ex";
  if (entry.link_count > 1 && colors("mh")) return "mh";
  return "fi";
}

std::string_view NameColors::directory_key(std::uint32_t mode) const {
  if ((mode & 01002) == 01002 && colors("tw")) return "tw";
  if ((mode & 00002) != 0 && colors("ow")) return "ow";
  if ((mode & 01000) != 0 && colors("st")) return "st";
  return "di";
}

std::string_view NameColors::key_of(const ColoredEntry& entry) const {
  if (entry.missing) return colors("mi") ? "mi" : "or";
  switch (format::type_of(entry.mode)) {
    case format::kTypeDirectory:
      return directory_key(entry.mode);
    case format::kTypeSymlink:
      return entry.dangling && (colors("or") || links_as_targets()) ? "or" : "ln";
    case format::kTypeFifo:
      return "pi";
    case format::kTypeSocket:
      return "so";
    case format::kTypeBlockDevice:
      return "bd";
    case format::kTypeCharacterDevice:
      return "cd";
    default:
      return file_key(entry);
  }
}

std::optional<std::string_view> NameColors::code_of_ending(std::string_view name) const {
  for (auto rule = by_ending_.rbegin(); rule != by_ending_.rend(); ++rule) {
    if (ends_with_in_any_case(name, rule->first)) return rule->second;
  }
  return std::nullopt;
}

std::optional<std::string_view> NameColors::code(const ColoredEntry& entry) const {
  const std::string_view key = key_of(entry);
  if (key == "fi") {
    if (const auto code = code_of_ending(entry.name)) return code;
  }
  const auto found = codes_.find(key);
  if (found == codes_.end()) return std::nullopt;
  return found->second;
}

}  // namespace dgfs::tools
