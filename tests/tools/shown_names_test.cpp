// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names that could fool a terminal: on a terminal they are quoted as by ls, elsewhere printed
// unchanged.
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class ShownNamesTest : public TreeFixture {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_->make_directory(tree_, 0755));
    ASSERT_EQ(shell("printf a >\"$(printf 'n\\033[2J')\"; ln -s \"$(printf 't\\033c')\" to"), "");
    ASSERT_EQ(run({"build", "-q", "--digest", "sha256", tree_, image_}).code, 0);
  }
};

constexpr char kRaw[] = "n\x1b[2J";
constexpr char kQuoted[] = "n'$'\\033''[2J'";

struct NamesCase {
  std::string command;
  std::vector<std::string> words;
  bool is_raw = false;  ///< whether terminals, too, get it unchanged
};

const NamesCase kCases[] = {{"find", {"-type", "f"}},
                            {"find", {"-type", "f", "-printf", "%p|%f|%P|%40p\\n"}},
                            {"find", {kRaw, "-printf", "%H %h\\n"}},
                            {"find", {"-type", "f", "-print0"}, true},
                            {"du", {"-a"}},
                            {"du", {"-a0"}, true},
                            {"stat", {kRaw}},
                            {"stat", {"-c", "%n", kRaw}},
                            {"stat", {"--printf", "%20n\\n", kRaw}},
                            {"ls", {"--color=never"}},
                            {"ls", {"--zero"}, true},
                            {"digest", {}},
                            {"digest", {"-z"}, true},
                            {"extract", {"-n", "/none"}}};

TEST_F(ShownNamesTest, AreQuotedOnTerminalsAlone) {
  for (const auto& [command, words, is_raw] : kCases) {
    const auto what = command + " " + (words.empty() ? "" : words[0]);
    const Outcome piped = dgfs(command, words);
    EXPECT_EQ(piped.code, 0) << what << piped.err;
    EXPECT_NE(piped.out.find(kRaw), std::string::npos) << what << piped.out;
    EXPECT_EQ(piped.out.find('$'), std::string::npos) << what << piped.out;
    const Outcome shown = dgfs(command, words, {.out_is_terminal = true});
    EXPECT_EQ(shown.code, 0) << what << shown.err;
    EXPECT_EQ(shown.out.find('\x1b') != std::string::npos, is_raw) << what << shown.out;
    EXPECT_EQ(shown.out.find(kQuoted) != std::string::npos, !is_raw) << what << shown.out;
  }
}

TEST_F(ShownNamesTest, TargetsAreNamesToo) {
  const Outcome piped = dgfs("stat", {"to"});
  EXPECT_NE(piped.out.find("to -> t\x1b"), std::string::npos) << piped.out;
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"stat", {"to"}}, {"find", {"-printf", "%l\\n"}}, {"ls", {"-l", "--color=never"}}};
  for (const auto& [command, words] : cases) {
    const Outcome shown = dgfs(command, words, {.out_is_terminal = true});
    EXPECT_EQ(shown.out.find('\x1b'), std::string::npos) << command;
    EXPECT_NE(shown.out.find("'t'$'\\033''c'"), std::string::npos) << shown.out;
  }
}

}  // namespace
}  // namespace dgfs::test
