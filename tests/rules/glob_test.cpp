// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "rules/glob.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace dgfs::rules {
namespace {

struct GlobCase {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};

void check(std::span<const GlobCase> cases) {
  for (const auto& [pattern, text, matches] : cases) {
    EXPECT_EQ(Glob(pattern).matches(text), matches) << pattern << " on " << text;
  }
}

TEST(Glob, Stars) {
  const GlobCase cases[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "ab", true},
      {"*", "a/b", false},
      {"**", "a/b", true},
      {"***", "a/b", true},
      {"*.o", ".o", true},
      {"*.o", "x.oo", false},
      {"a*b*c", "aXbYbZc", true},
      {"a*b*c", "aXbYbZ", false},
      {"a*/b*c", "ax/by/c", false},
      {"a*/b*c", "ax/byc", true},
      {"**/b*d", "a/bc/b/bcd", true},
      {"**b*d", "b/cd/bd", true},
      {"a**z", "a/b/z", true},
      {"a**z*", "a/z/x", false},
      {"a**z*", "a/z/zx", true},
      {"*/*", "a/b", true},
      {"*/*", "a/b/c", false},
      {"?", "a", true},
      {"?", "/", false},
      {"?", "", false},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\", "a\\", false},
  };
  check(cases);
}

TEST(Glob, Brackets) {
  const GlobCase cases[] = {
      {"[abc]", "b", true},           {"[abc]", "d", false},       {"[a-c]x", "bx", true},
      {"[!a-c]", "d", true},          {"[^a-c]", "b", false},      {"[!a]", "/", false},
      {"[.-0]", "/", false},          {"[]]", "]", true},          {"[!]]", "]", false},
      {"[]-a]", "^", true},           {"[a-]", "-", true},         {"[-a]", "-", true},
      {"[a-c-e]", "d", false},        {"[a-c-e]", "-", true},      {"[\\]]", "]", true},
      {"[a\\-c]", "b", false},        {"[a-\\c]", "b", true},      {"[[:digit:]x]", "7", true},
      {"[[:digit:]x]", "x", true},    {"[[:digit:]]", "a", false}, {"[![:space:]]", " ", false},
      {"[[:nonsense:]]", "n", false}, {"[[:x]", ":", true},        {"[[:x]", "[", true},
      {"[ab", "[ab", false},          {"x[", "x[", false},         {"[\xc3-\xff]", "\xe9", true},
  };
  check(cases);
}

TEST(Glob, TakesNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += i % 2 == 0 ? "*a" : "**a";
  EXPECT_FALSE(Glob(pattern + "b").matches(std::string(2000, 'a')));
}

}  // namespace
}  // namespace dgfs::rules
