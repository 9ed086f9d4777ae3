// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/name_style.h"

#include <algorithm>
#include <utility>

#include "tools/quoting.h"

namespace dgfs::tools {
namespace {

/// Characters before which C's styles put a backslash.
std::string c_escaped(std::string_view name, std::string_view also) {
  std::string out;
  while (!name.empty()) {
    const std::size_t length = printable_bytes(name);
    if (length == 0) {
      out += escaped_byte(name[0]);
    } else {
      if (name[0] == '\\' || also.find(name[0]) != std::string_view::npos) out += '\\';
      out += name.substr(0, length);
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

/// One question mark for each character that cannot be printed, or byte that is none.
std::string with_question_marks(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::size_t length = printable_bytes(name);
    out += length == 0 ? "?" : name.substr(0, length);
    name.remove_prefix(character_bytes(name));
  }
  return out;
}

}  // namespace

std::optional<QuotingStyle> quoting_style(std::string_view word) {
  constexpr std::pair<std::string_view, QuotingStyle> kWords[] = {
      {"literal", QuotingStyle::kLiteral},
      {"shell", QuotingStyle::kShell},
      {"shell-always", QuotingStyle::kShellAlways},
      {"shell-escape", QuotingStyle::kShellEscape},
      {"shell-escape-always", QuotingStyle::kShellEscapeAlways},
      {"c", QuotingStyle::kC},
      {"escape", QuotingStyle::kEscape}};
  for (const auto& [known, style] : kWords) {
    if (word == known) return style;
  }
  return std::nullopt;
}

std::string NameStyle::text(std::string_view name) const {
  const auto shown = [&](std::string text) {
    return hides_controls ? with_question_marks(text) : text;
  };
  switch (quoting) {
    case QuotingStyle::kShell:
      return shown(shell_quoted(name, {.escapes = false, .also = also}));
    case QuotingStyle::kShellAlways:
      return shown(shell_quoted(name, {.always = true, .escapes = false}));
    case QuotingStyle::kShellEscape:
      return shell_quoted(name, {.also = also});
    case QuotingStyle::kShellEscapeAlways:
      return shell_quoted(name, {.always = true});
    case QuotingStyle::kC:
      return '"' + c_escaped(name, also + '"') + '"';
    case QuotingStyle::kEscape:
      return c_escaped(name, also);
    default:
      return shown(std::string(name));
  }
}

}  // namespace dgfs::tools
