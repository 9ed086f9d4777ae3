// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares operands with wildcards with the shell's expansion in the packed tree.
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class OperandPatternTest : public TreeFixture {
 protected:
  void SetUp() override {
    // A name that is also a pattern, and a name that matches it.
    ASSERT_TRUE(env_->make_directory(tree_, 0755));
    ASSERT_EQ(shell("mkdir 'a[b]'; printf 1 >'a[b]/x'; mkdir ab; printf 2 >ab/x; ln -s ab to_ab"),
              "");
    ASSERT_EQ(shell("mkdir -p sub/deep .dot; printf 3 >sub/one.c; printf 4 >sub/deep/two.c; "
                    "printf 5 >.dot/three.c; printf 6 >sub/.four.c"),
              "");
    ASSERT_EQ(run({"build", "-q", tree_, image_}).code, 0);
  }

  /// Returns the shell's expansion of a pattern, one path a line.
  std::string by_shell(const std::string& pattern) const {
    return shell("printf '%s\\n' " + pattern);
  }
};

constexpr const char* kPatterns[] = {"sub/*",  "*b/x", "s?b/*.c", "*/*.c", ".d*/*",
                                     "[st]*/", "//*b", "sub/.*c", "to_*",  "*/deep/tw[a-z].c"};

TEST_F(OperandPatternTest, AreWhatTheShellMakesOfThem) {
  for (const std::string pattern : kPatterns) {
    const std::string in_tree = pattern.starts_with("//") ? pattern.substr(2) : pattern;
    const Outcome found = dgfs("find", {pattern, "-maxdepth", "0"});
    EXPECT_EQ(found.code, 0) << pattern << found.err;
    const std::string prefix = pattern.starts_with("//") ? "//" : "";
    std::string expected = by_shell(in_tree);
    if (!prefix.empty()) {
      expected = shell("for path in " + in_tree + "; do printf '//%s\\n' \"$path\"; done");
    }
    EXPECT_EQ(found.out, expected) << pattern;
  }
}

TEST_F(OperandPatternTest, ChooseWhatIsExtracted) {
  const std::string target = dir_ / "out";
  const Outcome outcome = dgfs("extract", {"-q", target, "s*/*.c", "[.]dot/t*", "to_*"});
  EXPECT_EQ(outcome.code, 1);  // only a dot matches a hidden name's dot, a bracket does not
  EXPECT_EQ(outcome.err,
            "dgfs: extract: '[.]dot/t*': No such file or directory; nothing was extracted\n");
  EXPECT_FALSE(env_->status(target));
  ASSERT_EQ(dgfs("extract", {"-q", target, "s*/*.c", ".dot/t*", "to_*"}).code, 0);
  EXPECT_EQ(shell("cd '" + target + "'; find . ! -type d | sort"),
            "./.dot/three.c\n./sub/one.c\n./to_ab\n");
}

TEST_F(OperandPatternTest, ChooseWhatIsCompared) {
  const std::string other = dir_ / "other";
  ASSERT_EQ(shell("cp -a . '" + other + "'; cd '" + other + "'; printf 7 >sub/one.c; " +
                  "printf 8 >sub/deep/two.c; printf 9 >sub/new.c; printf 0 >'a[b]/x'"),
            "");
  const auto diff = [&](const std::string& first, const std::string& second,
                        const std::vector<std::string>& paths) {
    std::vector<std::string> words = {"diff", "-q", "--no-times", first, second};
    words.insert(words.end(), paths.begin(), paths.end());
    return run(words);
  };
  const Outcome some = diff(image_, other, {"sub/*.c"});
  EXPECT_EQ(some.code, 1) << some.err;
  EXPECT_EQ(some.out, "only in " + other + ": sub/new.c\nsub/one.c differs\n");
  EXPECT_EQ(diff(other, image_, {"s*/n*"}).out, "only in " + other + ": sub/new.c\n");
  EXPECT_EQ(diff(image_, other, {"sub/d*/"}).out, "sub/deep/two.c differs\n");
  EXPECT_EQ(diff(image_, other, {"a[b]"}).out, "'a[b]/x' differs\n");
  EXPECT_EQ(diff(image_, other, {"a?"}).code, 0);
  EXPECT_EQ(diff(image_, image_, {"*"}).code, 0);
  const Outcome none = diff(image_, other, {"none*", "sub/new.?"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "dgfs: diff: 'none*': No such file or directory\n");
  EXPECT_EQ(none.out, "only in " + other + ": sub/new.c\n");
}

TEST_F(OperandPatternTest, LoseToANameThatIsThere) {
  EXPECT_EQ(dgfs("find", {"a[b]", "-type", "f"}).out, "a[b]/x\n");
  EXPECT_EQ(dgfs("find", {"a[b]*", "-type", "f"}).out, "ab/x\n");
  const std::string target = dir_ / "out";
  ASSERT_EQ(dgfs("extract", {"-q", target, "a[b]"}).code, 0);
  EXPECT_EQ(shell("cd '" + target + "'; find . -type f"), "./a[b]/x\n");
}

TEST_F(OperandPatternTest, ThatFitNothingAreMissing) {
  for (const auto* command : {"cat", "find", "digest", "extract", "ls", "du", "stat", "diff"}) {
    std::vector<std::string> words = {"none*/x"};
    if (command == std::string("extract")) words.insert(words.begin(), dir_ / "out");
    if (command == std::string("diff")) words.insert(words.begin(), tree_);
    ASSERT_EQ(run({"build", "-q", "--digest", "sha256", tree_, image_}).code, 0);
    const Outcome outcome = dgfs(command, words);
    const bool is_trouble = command == std::string("ls") || command == std::string("diff");
    EXPECT_EQ(outcome.code, is_trouble ? 2 : 1) << command;
    EXPECT_NE(outcome.err.find("'none*/x': No such file or directory"), std::string::npos)
        << command << ": " << outcome.err;
  }
}

TEST_F(OperandPatternTest, AreNamesInAList) {
  const std::string list = dir_ / "list";
  ASSERT_EQ(shell("printf 'sub/*.c\\n' > '" + list + "'"), "");
  const Outcome outcome = dgfs("extract", {"-q", dir_ / "out", "--files-from", list});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("'sub/*.c': No such file"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace dgfs::test
