// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/find/regex.h"

#include <fmt/format.h>
#include <regex.h>

#include <memory>
#include <utility>

namespace dgfs::tools {
namespace {

struct RegexType {
  std::string_view name;
  reg_syntax_t syntax;
};

constexpr RegexType kRegexTypes[] = {
    {"findutils-default", RE_SYNTAX_EMACS | RE_DOT_NEWLINE},
    {"ed", RE_SYNTAX_ED},
    {"emacs", RE_SYNTAX_EMACS},
    {"gnu-awk", RE_SYNTAX_GNU_AWK},
    {"grep", RE_SYNTAX_GREP},
    {"posix-awk", RE_SYNTAX_POSIX_AWK},
    {"awk", RE_SYNTAX_AWK},
    {"posix-basic", RE_SYNTAX_POSIX_BASIC},
    {"posix-egrep", RE_SYNTAX_POSIX_EGREP},
    {"egrep", RE_SYNTAX_EGREP},
    {"posix-extended", RE_SYNTAX_POSIX_EXTENDED},
    {"posix-minimal-basic", RE_SYNTAX_POSIX_MINIMAL_BASIC},
    {"sed", RE_SYNTAX_SED},
};

struct Pattern {
  re_pattern_buffer buffer{};

  Pattern() = default;
  ~Pattern() { ::regfree(&buffer); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
};

}  // namespace

Result<unsigned long> regex_syntax(std::string_view name) {
  std::string all;
  for (const RegexType& type : kRegexTypes) {
    if (type.name == name) return type.syntax;
    all += (all.empty() ? "" : ", ") + std::string(type.name);
  }
  return Error(ErrorKind::kInvalidArgument, 6083, fmt::format("'{}' is not one of {}", name, all));
}

Result<FindTest> regex_test(const std::string& pattern, unsigned long syntax, bool any_case) {
  const auto compiled = std::make_shared<Pattern>();
  // re_compile_pattern(3) takes the syntax only from this global, which is restored at once.
  const reg_syntax_t before = ::re_set_syntax(syntax | (any_case ? RE_ICASE : 0));
  const char* const wrong = ::re_compile_pattern(pattern.data(), pattern.size(), &compiled->buffer);
  ::re_set_syntax(before);
  if (wrong != nullptr) {
    return Error(ErrorKind::kInvalidArgument, 6084, fmt::format("'{}': {}", pattern, wrong));
  }
  return FindTest([compiled](const FindItem& item) {
    const auto length = static_cast<regoff_t>(item.path.size());
    return ::re_match(&compiled->buffer, item.path.data(), length, 0, nullptr) == length;
  });
}

}  // namespace dgfs::tools
