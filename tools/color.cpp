// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/color.h"

#include <fmt/format.h>

#include "format/mode.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kDefaults =
    "di=01;34:ln=01;36:pi=33:so=01;35:bd=01;33:cd=01;33:su=37;41:sg=30;43:st=37;44:ow=34;42:"
    "tw=30;42:ex=01;32";

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

/// Only digits and semicolons: anything else in the variable could fool the terminal.
bool is_code(std::string_view text) {
  return text.find_first_not_of("0123456789;") == std::string_view::npos;
}

}  // namespace

NameColors::NameColors(std::string_view ls_colors) {
  for_each_field(kDefaults, [&](auto key, auto value) { codes_[std::string(key)] = value; });
  for_each_field(ls_colors, [&](std::string_view key, std::string_view value) {
    if (!is_code(value)) return;
    if (key.starts_with('*')) {
      by_ending_.emplace_back(key.substr(1), value);
    } else {
      codes_[std::string(key)] = value;
    }
  });
}

std::string_view NameColors::code_of(const char* key) const {
  const auto found = codes_.find(key);
  return found == codes_.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view NameColors::code(std::string_view name, const reader::Node& node,
                                  bool dangling) const {
  const std::uint32_t mode = node.mode;
  switch (format::type_of(mode)) {
    case format::kTypeDirectory:
      if ((mode & 01002) == 01002) return code_of("tw");
      if ((mode & 00002) != 0) return code_of("ow");
      return code_of((mode & 01000) != 0 ? "st" : "di");
    case format::kTypeSymlink:
      return dangling && !code_of("or").empty() ? code_of("or") : code_of("ln");
    case format::kTypeFifo:
      return code_of("pi");
    case format::kTypeSocket:
      return code_of("so");
    case format::kTypeBlockDevice:
      return code_of("bd");
    case format::kTypeCharacterDevice:
      return code_of("cd");
    default:
      break;
  }
  if ((mode & 04000) != 0) return code_of("su");
  if ((mode & 02000) != 0) return code_of("sg");
  if ((mode & 00111) != 0) return code_of("ex");
  for (auto rule = by_ending_.rbegin(); rule != by_ending_.rend(); ++rule) {
    if (name.ends_with(rule->first)) return rule->second;
  }
  return code_of("fi");
}

std::string NameColors::colored(std::string_view text, std::string_view name,
                                const reader::Node& node, bool dangling) const {
  const std::string_view sequence = code(name, node, dangling);
  if (sequence.empty() || sequence == "0" || sequence == "00") return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", sequence, text);
}

}  // namespace dgfs::tools
