// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs find, without a comparison with GNU find: paths, messages, and its own options.
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class FindCommandTest : public TreeFixture {};

TEST_F(FindCommandTest, ToldNoPathPrintsPathsOfTheImage) {
  EXPECT_EQ(dgfs("find", {"-name", "*.c"}).out, "sub/five_thousand.c\n");
  EXPECT_EQ(dgfs("find", {"-maxdepth", "0"}).out, ".\n");
  EXPECT_EQ(dgfs("find", {"/", "-name", "*.c"}).out, "/sub/five_thousand.c\n");
}

TEST_F(FindCommandTest, ListsLikeFindDoes) {
  const std::string line = dgfs("find", {"-name", "six_hundred", "-ls"}).out;
  EXPECT_NE(line.find(" -rw-r-----   1 "), std::string::npos) << line;
  EXPECT_NE(line.find("      600 Feb  3  2001 six_hundred\n"), std::string::npos) << line;
}

TEST_F(FindCommandTest, SaysWhatIsWrong) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"-szie", "3"}, "dgfs find: -szie: unknown test; did you mean -size?\n"},
      {{"-size", "3x"}, "dgfs find: -size: '3x': units are c w b k M G\n"},
      {{"-size", "k"}, "dgfs find: -size: '' is not a number\n"},
      {{"-size"}, "dgfs find: -size: missing value\n"},
      {{"-type", "q"}, "dgfs find: -type: 'q': types are f d l p s c b, separated by commas\n"},
      {{"-type", "f,"}, "dgfs find: -type: 'f,': types are f d l p s c b, separated by commas\n"},
      {{"-perm", "9"}, "dgfs find: -perm: '9' is not a mode\n"},
      {{"(", "-true"}, "dgfs find: missing ')'\n"},
      {{"-true", ")"}, "dgfs find: unexpected ')'\n"},
      {{"-true", "-o"}, "dgfs find: the expression ends too early\n"},
      {{"!"}, "dgfs find: the expression ends too early\n"},
      {{"-o", "-true"}, "dgfs find: an expression is missing before '-o'\n"},
      {{"-true", "-o", "-a"}, "dgfs find: an expression is missing before '-a'\n"},
      {{")"}, "dgfs find: an expression is missing before ')'\n"},
      {{"(", ")"}, "dgfs find: '(' and ')' enclose nothing\n"},
      {{"-maxdepth", "-1"}, "dgfs find: -maxdepth: '-1' is not a number\n"},
      {{"-mindepth", "+1"}, "dgfs find: -mindepth: '+1' is not a number\n"},
      {{"--json", "-ls"}, "dgfs find: --json and -ls cannot be combined\n"},
      {{"-print0", "--json"}, "dgfs find: --json and -print0 cannot be combined\n"},
      {{"-true", "sub"}, "dgfs find: 'sub': paths come before the expression\n"},
      {{"-printf", "%q"}, "dgfs find: -printf: %q: unknown directive\n"},
  };
  for (const auto& [words, text] : cases) {
    const Outcome outcome = dgfs("find", words);
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_TRUE(outcome.err.starts_with(text)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_NE(dgfs("find", {"-delete"}).err.find("images are read-only"), std::string::npos);
}

TEST_F(FindCommandTest, BoundsNesting) {
  std::vector<std::string> words(100000, "!");
  words.emplace_back("-true");
  EXPECT_EQ(dgfs("find", words).code, 2);
}

TEST_F(FindCommandTest, TakesLongExpressions) {
  std::vector<std::string> words(100000, "-true");
  words.emplace_back("-quit");
  EXPECT_EQ(dgfs("find", words).code, 0);
}

TEST_F(FindCommandTest, GoesOnAfterAMissingPath) {
  const Outcome outcome = dgfs("find", {"missing", "sub/up"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "dgfs: find: missing: No such file or directory\n");
  EXPECT_EQ(outcome.out, "sub/up\n");
}

TEST_F(FindCommandTest, QuitsAtOnce) {
  EXPECT_EQ(dgfs("find", {"sub", "hello.txt", "-print", "-quit"}).out, "sub\n");
}

TEST_F(FindCommandTest, MissingReferenceIsAFailure) {
  const Outcome outcome = dgfs("find", {"-newer", "missing"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "dgfs: find: -newer: missing: No such file or directory\n");
}

}  // namespace
}  // namespace dgfs::test
