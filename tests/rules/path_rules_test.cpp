// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// tests/system/path_rules_test.py compares the rules with rsync itself.
#include "rules/path_rules.h"

#include <gtest/gtest.h>

namespace dgfs::rules {
namespace {

enum class Type : bool { kFile, kDirectory };

struct PatternCase {
  std::string_view pattern;
  std::string_view path;
  bool matches;
  Type type = Type::kFile;
};

TEST(PathPattern, MeansWhatRsyncSays) {
  const PatternCase cases[] = {
      {"*.o", "x.o", true},
      {"*.o", "deep/er/x.o", true},
      {"build", "build", true},
      {"build", "x/build", true},
      {"build", "x/rebuild", false},
      {"/build", "build", true},
      {"/build", "x/build", false},
      {"build/", "build", false},
      {"build/", "x/build", true, Type::kDirectory},
      {"/build/", "build", true, Type::kDirectory},
      {"a/b", "a/b", true},
      {"a/b", "x/a/b", true},
      {"a/b", "xa/b", false},
      {"a/*", "x/a/b", true},
      {"a/*", "a/b/c", false},
      {"*/b", "b", false},
      {"/a/*", "x/a/b", false},
      {"sub/*/tmp", "sub/1/tmp", true},
      {"sub/*/tmp", "sub/1/2/tmp", false},
      {"sub/**/tmp", "sub/1/2/tmp", true},
      {"sub/**/tmp", "x/sub/1/2/tmp", true},
      {"sub/**/tmp", "sub/tmp", false},
      {"**/tmp", "tmp", true},
      {"**/tmp", "a/b/tmp", true},
      {"a**z", "x/a/b/z", true},
      {"dir/***", "dir", true, Type::kDirectory},
      {"dir/***", "dir", false},
      {"dir/***", "x/dir/a/b", true},
      {"/dir/***", "x/dir/a/b", false},
      {"dir/**", "dir", false, Type::kDirectory},
      {"back\\slash", "back\\slash", true},
      {"back\\slash*", "backslash", true},
      {"/", "a", false},
      {"**", "a", true},
  };
  for (const auto& [pattern, path, matches, type] : cases) {
    EXPECT_EQ(PathPattern(pattern).matches(path, type == Type::kDirectory), matches)
        << pattern << " on " << path;
  }
}

TEST(PathRules, TheFirstThatMatchesDecides) {
  PathRules rules;
  EXPECT_TRUE(rules.empty());
  EXPECT_TRUE(rules.includes("a", false));
  rules.add(RuleAction::kInclude, "*.c");
  rules.add(RuleAction::kInclude, "*/");
  rules.add(RuleAction::kExclude, "*");
  EXPECT_FALSE(rules.empty());
  EXPECT_TRUE(rules.includes("x/a.c", false));
  EXPECT_FALSE(rules.includes("x/a.o", false));
  EXPECT_TRUE(rules.includes("x", true));
  EXPECT_FALSE(rules.includes("x", false));
  EXPECT_TRUE(rules.includes("", true));
}

TEST(PathRules, ReadsPrefixesAndTheMarkThatDropsAll) {
  PathRules rules;
  rules.add_text(RuleAction::kExclude, "+ keep");
  rules.add_text(RuleAction::kInclude, "- k*");
  EXPECT_TRUE(rules.includes("keep", false));
  EXPECT_FALSE(rules.includes("kelp", false));
  rules.add_text(RuleAction::kExclude, "");
  rules.add_text(RuleAction::kExclude, "!");
  EXPECT_TRUE(rules.empty());
  rules.add_text(RuleAction::kExclude, "!x");
  EXPECT_FALSE(rules.includes("!x", false));
}

}  // namespace
}  // namespace dgfs::rules
