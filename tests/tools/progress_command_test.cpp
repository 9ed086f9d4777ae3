// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Commands that may take long show their progress on the terminal, and never disturb their output.
// In these tests each look at the clock takes two seconds.
#include <algorithm>
#include <atomic>
#include <regex>

#include "delta/store/store.h"
#include "storage/wrapped.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

/// Passes all calls on, but refuses second names for files that move: their destination is on
/// another file system, so that they are copied.
class SplitFileSystem final : public storage::CallObserver {
 public:
  Status before(storage::CallKind kind, const std::string& path) override {
    if (kind != storage::CallKind::kLink || !path.ends_with("/moved")) return ok();
    return Error(ErrorKind::kIo, 1, "another file system");
  }
};

class FastClockEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  explicit FastClockEnv(storage::Env& base) : WrappedEnv(base) {}

  std::uint64_t monotonic_ns() const override { return ++looks_ * 2'000'000'000; }

 protected:
  storage::CallObserver& observer() const override { return observer_; }

 private:
  mutable std::atomic<std::uint64_t> looks_ = 0;
  mutable SplitFileSystem observer_;
};

/// Where the outputs go.
struct Ends {
  bool out_is_terminal = false;
  bool out_is_pipe = false;
  bool err_is_terminal = true;
};

class ProgressCommandTest : public TreeFixture {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_->make_directory(tree_, 0755));
    ASSERT_EQ(shell("mkdir a b; for i in $(seq 500); do : >a/$i; echo $i >b/$i; done"), "");
    ASSERT_EQ(run({"build", "-q", "--digest", "sha256", tree_, image_}).code, 0);
  }

  /// Returns the bytes that reach the terminal, in order.
  std::string terminal_of(const std::vector<std::string>& arguments, const Ends& ends) {
    std::string text;
    const auto sink = [&text](bool arrives) {
      return [&text, arrives](std::string_view more) {
        if (arrives) text += more;
        return 0;
      };
    };
    FastClockEnv env(*env_);
    const std::atomic<bool> stop = false;
    tools::Output out(sink(ends.out_is_terminal), 0);
    tools::Output err(sink(true), 0);
    tools::ToolIo io{env, out, err, ends.out_is_terminal, ends.err_is_terminal, 80, stop};
    io.out_is_pipe = ends.out_is_pipe;
    EXPECT_EQ(tools::tool_main(arguments, io), 0) << text;
    return text;
  }
};

struct Case {
  const char* label;
  std::vector<std::string> before;
  std::vector<std::string> after = {};
  bool lists = true;  ///< whether its output may be long, and is for programs, too
};

std::vector<Case> cases() {
  return {{"searching", {"find"}, {"-name", "none"}},
          {"searching", {"find"}, {"-depth", "-size", "+1G"}},
          {"summing", {"du", "-s"}},
          {"listing", {"digest"}},
          {"listing", {"extract", "-n"}, {"out"}},
          {"listing", {"extract", "-n", "--include", "none", "--exclude", "*/*"}, {"out"}},
          {"scanning", {"info", "--scan"}, {}, false},
          {"counting", {"info", "--scan"}, {}, false},
          {"checking", {"info", "--scan"}, {}, false}};
}

std::vector<std::string> words_of(const Case& one, const std::string& image) {
  auto words = one.before;
  words.push_back(image);
  words.insert(words.end(), one.after.begin(), one.after.end());
  return words;
}

TEST_F(ProgressCommandTest, IsShownWhereTheOutputGoesElsewhere) {
  for (const auto& one : cases()) {
    const auto text = terminal_of(words_of(one, image_), {});
    EXPECT_NE(text.find(std::string("\r") + one.label), std::string::npos) << one.label << text;
    EXPECT_TRUE(text.ends_with("\r\x1b[K"))
        << one.label << ": the progress line is removed at the end";
    EXPECT_EQ(terminal_of(words_of(one, image_), {.err_is_terminal = false}), "") << one.label;
  }
}

TEST_F(ProgressCommandTest, IsNotShownToAPager) {
  for (const auto& one : cases()) {
    const auto text = terminal_of(words_of(one, image_), {.out_is_pipe = true});
    EXPECT_EQ(text.empty(), one.lists) << one.label << text;
  }
}

TEST_F(ProgressCommandTest, LeavesEveryLineOfAListWhole) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"find", image_, "-name", "*7"},
        {"find", image_, "-name", "499"},
        {"du", "-a", image_},
        {"du", image_, "b", "a"},
        {"digest", image_},
        {"extract", "-n", image_, "out"},
        {"info", "--scan", image_}}) {
    // Without progress lines that are removed again, the terminal has the same output as a pipe.
    const auto text = terminal_of(words, {.out_is_terminal = true});
    const std::regex line("\r[a-z][^\r\n]*\x1b\\[K");
    const std::regex taken_away("\r\x1b\\[K");
    const auto left = std::regex_replace(std::regex_replace(text, line, ""), taken_away, "");
    EXPECT_EQ(left, run(words).out) << words[0];
    EXPECT_FALSE(std::regex_search(text, std::regex("\x1b\\[K[^\r\n]+\r")))
        << "progress and output are on one line";
    EXPECT_FALSE(std::regex_search(text, std::regex("\r[a-z][^\r\n]*\x1b\\[K[^\r]")))
        << "output came before the progress line was removed: " << words[0];
  }
}

TEST_F(ProgressCommandTest, OfASilentSearchIsShownBesideItsOutput) {
  const auto text = terminal_of({"find", image_, "-name", "none"}, {.out_is_terminal = true});
  EXPECT_NE(text.find("\rsearching"), std::string::npos) << text;
}

/// A command that reads contents.
struct ContentCase {
  std::vector<std::string> labels;
  std::vector<std::string> words;  ///< kNew: a path that does not exist, another each time
  bool has_quiet = true;
};

constexpr const char* kNew = "NEW";

TEST_F(ProgressCommandTest, OfContentsIsShownUnlessToBeQuiet) {
  int runs = 0;
  const auto anew = [&](std::vector<std::string> words) {
    const std::string fresh = dir_ / ("fresh" + std::to_string(++runs));
    std::replace(words.begin(), words.end(), std::string(kNew), fresh);
    return words;
  };
  const ContentCase cases[] = {
      {{"scanning", "packing", "indexing", "syncing"}, {"build", tree_, kNew}},
      {{"packing", "verifying"}, {"build", "--verify", tree_, kNew}},
      {{"extracting"}, {"extract", image_, kNew}},
      {{"verifying"}, {"verify", image_}},
      {{"verifying"}, {"verify", "--digest", image_}},
      {{"comparing"}, {"diff", image_, tree_}, false},
      {{"salvaging"}, {"salvage", image_, kNew}},
      {{"salvaging"}, {"salvage", "--list", image_}}};
  for (const auto& one : cases) {
    const auto command = one.words[0] + " " + one.words[1];
    const auto text = terminal_of(anew(one.words), {});
    for (const auto& label : one.labels) {
      EXPECT_NE(text.find("\r" + label), std::string::npos) << command << text;
    }
    EXPECT_TRUE(text.ends_with("\r\x1b[K"))
        << command << ": the progress line is removed at the end";
    EXPECT_EQ(terminal_of(anew(one.words), {.err_is_terminal = false}), "") << command;
    if (!one.has_quiet) continue;
    auto quiet = anew(one.words);
    quiet.emplace_back("--quiet");
    EXPECT_EQ(terminal_of(quiet, {}), "") << command;
  }
}

TEST_F(ProgressCommandTest, OfAStoreIsShownUnlessToBeQuiet) {
  const std::string store = dir_ / "store";
  delta::StoreOptions options;
  options.create = true;
  options.parameters.segment_bytes = 4096;
  ASSERT_TRUE(delta::Store::open(*env_, store, options));
  const auto text = terminal_of({"delta", "check", store}, {});
  EXPECT_NE(text.find("\rcounting"), std::string::npos) << text;
  EXPECT_NE(text.find("\rchecking"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(terminal_of({"delta", "check", "-q", store}, {}), "");
  EXPECT_EQ(terminal_of({"delta", "check", store}, {.err_is_terminal = false}), "");
}

TEST_F(ProgressCommandTest, OfAMovedVolumeIsShownUnlessToBeQuiet) {
  const std::string image = dir_ / "spread.dgfs";
  const std::string place = dir_ / "place";
  const std::string other = dir_ / "other";
  ASSERT_TRUE(env_->make_directory(place, 0755));
  ASSERT_TRUE(env_->make_directory(other, 0755));
  ASSERT_EQ(run({"build", "-q", tree_, image, "--volume", place + "/v"}).code, 0);
  const auto move = [&](const std::string& from, const std::string& to, const Ends& ends) {
    const std::string volume = to + "/moved";
    return terminal_of({"volume", "move", image, "1", volume, "--volume", from}, ends);
  };
  const auto text = move(place, other, {});
  EXPECT_NE(text.find("\rmoving"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(move(other, place, {.err_is_terminal = false}), "");
  const std::string volume = other + "/moved";
  EXPECT_EQ(terminal_of({"volume", "move", image, "1", volume, "--volume", place, "-q"}, {}), "");
}

// The size of a part of an image is not known beforehand, and its bytes are no entries.
TEST_F(ProgressCommandTest, OfAPartCountsEntries) {
  const std::string out = dir_ / "out";
  const auto text = terminal_of({"extract", image_, out, "b"}, {});
  EXPECT_NE(text.find("extracting 501 entries"), std::string::npos) << text;
}

// If all files are empty, there are no bytes to count.
TEST_F(ProgressCommandTest, OfEmptyFilesCountsThem) {
  const std::string image = dir_ / "empty.dgfs";
  ASSERT_EQ(run({"build", "-q", tree_ + "/a", image}).code, 0);
  const std::string out = dir_ / "out";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"verify", image},
                                                {"salvage", image, out},
                                                {"salvage", "--list", image}}) {
    const auto text = terminal_of(words, {});
    EXPECT_TRUE(std::regex_search(text, std::regex("ing +50[01] entries"))) << words[0] << text;
  }
}

#ifdef DGFS_HAS_FUSE
TEST_F(ProgressCommandTest, OfAMountIsThatOfItsCheck) {
  const std::string point = dir_ / "point";
  ASSERT_TRUE(env_->make_directory(point, 0755));
  const std::vector<std::string> words = {"mount", "--dry-run", "--check=all", image_, point};
  const auto text = terminal_of(words, {});
  EXPECT_NE(text.find("\rchecking"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(terminal_of(words, {.err_is_terminal = false}), "");
}
#endif

}  // namespace
}  // namespace dgfs::test
