// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/exclude.h"

#include <gtest/gtest.h>

namespace dgfs::builder {
namespace {

struct GlobCase {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};

TEST(Glob, MatchesAsShellPatternsDo) {
  const GlobCase cases[] = {
      {"a", "a", true},
      {"a", "b", false},
      {"a", "ab", false},
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "a/b", true},
      {"*.o", "x.o", true},
      {"*.o", ".o", true},
      {"*.o", "x.oo", false},
      {"a*b*c", "aXbYbZc", true},
      {"a*b*c", "aXbYbZ", false},
      {"?", "a", true},
      {"?", "", false},
      {"?", "\xc3\xa9", true},
      {"??", "\xc3\xa9", false},
      {"?", "\xff", true},
      {"*?", "\xc3", true},
      {"[abc]", "b", true},
      {"[abc]", "d", false},
      {"[a-c]x", "bx", true},
      {"[!a-c]", "d", true},
      {"[^a-c]", "b", false},
      {"[]]", "]", true},
      {"[!]]", "]", false},
      {"[a-]", "-", true},
      {"[[:digit:]]*", "7z", true},
      {"[[:digit:]]", "z", false},
      {"[[:upper:]_]", "_", true},
      {"[", "[", true},
      {"[a", "[a", true},
      {"[\\]]", "]", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\", "a\\", true},
      {"a?c", "a/c", true},
  };
  for (const GlobCase& c : cases) {
    EXPECT_EQ(glob_matches(c.pattern, c.text), c.matches) << c.pattern << " on " << c.text;
  }
}

TEST(Glob, TakesNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(2000, 'a')));
}

TEST(ExcludeList, DistinguishesNamesAndPaths) {
  const ExcludeList list({"*.o", "/build", "a/b", "sub/*/tmp", "slash/"});
  const std::pair<std::string_view, bool> cases[] = {
      {"x.o", true},      {"deep/er/x.o", true}, {"build", true},     {"x/build", false},
      {"a/b", true},      {"x/a/b", false},      {"sub/1/tmp", true}, {"sub/1/2/tmp", true},
      {"sub/tmp", false}, {"slash", true},       {"x/slash", true},   {"x.oo", false},
  };
  for (const auto& [path, excluded] : cases) EXPECT_EQ(list.matches(path), excluded) << path;
  EXPECT_TRUE(ExcludeList({}).empty());
  EXPECT_FALSE(ExcludeList({"/"}).matches("a"));
}

}  // namespace
}  // namespace dgfs::builder
