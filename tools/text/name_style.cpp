// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/name_style.h"

#include <algorithm>
#include <utility>

namespace dgfs::tools {
namespace {

constexpr std::string_view kLeftQuote = "‘";
constexpr std::string_view kRightQuote = "’";

/// Also escapes the right quote, which would end the name.
std::string locale_quoted(std::string_view name, std::string_view also, Printed printed) {
  std::string out(kLeftQuote);
  for (;;) {
    const std::size_t quote = std::min(name.find(kRightQuote), name.size());
    out += c_escaped(name.substr(0, quote), also, printed);
    if (quote == name.size()) return out.append(kRightQuote);
    out.append("\\").append(kRightQuote);
    name.remove_prefix(quote + kRightQuote.size());
  }
}

/// Leaves the name unchanged unless something other than backslashes must be escaped.
std::string c_quoted_where_needed(std::string_view name, std::string_view also, Printed printed) {
  const std::string escaped = c_escaped(name, "\"" + std::string(also), printed);
  const auto backslashes = std::count(name.begin(), name.end(), '\\');
  if (escaped.size() == name.size() + static_cast<std::size_t>(backslashes)) {
    return std::string(name);
  }
  return '"' + c_escaped(name, "\"", printed) + '"';
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
      {"c-maybe", QuotingStyle::kCMaybe},
      {"escape", QuotingStyle::kEscape},
      {"locale", QuotingStyle::kLocale},
      {"clocale", QuotingStyle::kLocale}};  // both print the same in a UTF-8 locale
  for (const auto& [known, style] : kWords) {
    if (word == known) return style;
  }
  return std::nullopt;
}

std::string NameStyle::quoted(std::string_view name) const {
  switch (quoting) {
    case QuotingStyle::kShell:
      return shell_quoted(name, {.escapes = false, .also = also, .printed = printed});
    case QuotingStyle::kShellAlways:
      return shell_quoted(name,
                          {.always = true, .escapes = false, .also = also, .printed = printed});
    case QuotingStyle::kShellEscape:
      return shell_quoted(name, {.also = also, .printed = printed});
    case QuotingStyle::kShellEscapeAlways:
      return shell_quoted(name, {.always = true, .also = also, .printed = printed});
    case QuotingStyle::kC:
      return '"' + c_escaped(name, also + '"', printed) + '"';
    case QuotingStyle::kCMaybe:
      return c_quoted_where_needed(name, also, printed);
    case QuotingStyle::kEscape:
      return c_escaped(name, also, printed);
    case QuotingStyle::kLocale:
      return locale_quoted(name, also, printed);
    default:
      return std::string(name);
  }
}

std::string NameStyle::text(std::string_view name) const {
  const bool escapes_nothing = quoting == QuotingStyle::kLiteral ||
                               quoting == QuotingStyle::kShell ||
                               quoting == QuotingStyle::kShellAlways;
  return hides_controls && escapes_nothing ? with_question_marks(quoted(name)) : quoted(name);
}

}  // namespace dgfs::tools
