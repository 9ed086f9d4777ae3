// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs update: what it says, and wrong usage.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/states.h"
#include "tests/reader/packed_tree.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

class UpdateCommand : public testing::Test {
 protected:
  UpdateCommand() {
    tree_.directory("dir");
    tree_.file("dir/old", std::string(3000, 'o'));
    tree_.file("gone", "of the image");
    tree_.pack();
  }
  int run(const std::vector<std::string>& arguments) {
    ToolRun tool(tree_.memory());
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }
  int update(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"update", kImage, "/tree", "--delta", "/d/"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void expect_usage(const std::vector<std::string>& arguments, const std::string& text) {
    EXPECT_EQ(run(arguments), 2) << out_;
    EXPECT_NE(err_.find(text), std::string::npos) << err_;
  }
  [[nodiscard]] std::size_t states() {
    return delta::layers_of(value_of(delta::read_present_manifest(tree_.memory(), "/d")));
  }

  PackedTree tree_;
  std::string out_;
  std::string err_;
};

TEST_F(UpdateCommand, SaysWhatItHasDone) {
  EXPECT_EQ(update(), 0) << err_;
  EXPECT_TRUE(std::regex_match(out_, std::regex("updated /d: 4 entries, 0 changed, 0 new, 0 "
                                                "removed; 0 B in [0-9]+\\.[0-9] s\n")))
      << out_;
  EXPECT_EQ(states(), 0U);
  tree_.file("dir/new", std::string(70'000, 'n'));
  EXPECT_EQ(update({"--name", "one", "--dry-run"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("would update /d: 5 entries, ")) << out_;
  EXPECT_EQ(states(), 0U);
  EXPECT_EQ(update({"--name", "one"}), 0) << err_;
  EXPECT_TRUE(std::regex_match(out_, std::regex("updated /d: 5 entries, [0-9]+ changed, 1 new, 0 "
                                                "removed; 70.0 KB in [0-9]+\\.[0-9] s\n")))
      << out_;
  EXPECT_EQ(err_, "");
  EXPECT_EQ(states(), 1U);
  EXPECT_EQ(update({"-q"}), 0);
  EXPECT_EQ(out_ + err_, "");
}

TEST_F(UpdateCommand, ADryRunNeedsNoDelta) {
  tree_.file("dir/new", "n");
  EXPECT_EQ(update({"--dry-run", "--json"}), 0) << err_;
  EXPECT_NE(out_.find(R"("new":1,"removed":0,"written_bytes":1,)"), std::string::npos) << out_;
  EXPECT_FALSE(tree_.memory().status("/d"));
}

TEST_F(UpdateCommand, SaysItInJson) {
  tree_.file("dir/new", "n");
  EXPECT_EQ(update({"--name", "one", "--json"}), 0) << err_;
  EXPECT_TRUE(std::regex_match(
      out_, std::regex(R"(\{"updated":true,"id":"[0-9a-f]{32}","name":"one","entries":5,)"
                       R"("changed":[0-9]+,"new":1,"removed":0,"written_bytes":1,"lost":0,)"
                       R"("took_ms":[0-9]+\}\n)")))
      << out_;
  EXPECT_EQ(update({"--json"}), 0);
  EXPECT_TRUE(out_.starts_with("{\"updated\":false,")) << out_;
}

// A script may go on with the name.
TEST_F(UpdateCommand, SaysIfNoStateGetsTheName) {
  EXPECT_EQ(update({"--name", "one"}), 0);
  EXPECT_NE(err_.find("there is no state \"one\": nothing has changed since base"),
            std::string::npos)
      << err_;
}

TEST_F(UpdateCommand, RefusesWhatItCannotDo) {
  EXPECT_EQ(run({"update", kImage, "/nothing", "--delta", "/d"}), 1);
  EXPECT_NE(err_.find("nothing was updated"), std::string::npos) << err_;
  EXPECT_FALSE(tree_.memory().status("/d"));
  EXPECT_EQ(run({"update", kImage, "/", "--delta", "/d"}), 1);
  EXPECT_NE(err_.find("holds the delta (/d)"), std::string::npos) << err_;
  EXPECT_EQ(run({"update", kImage, "/tree", "--delta", "/tree/d"}), 1);
  EXPECT_FALSE(tree_.memory().status("/tree/d"));
  tree_.file("dir/new", "n");
  EXPECT_EQ(update({"--name", "no name"}), 1);
  EXPECT_FALSE(tree_.memory().status("/d"));  // a new delta is taken back
}

TEST_F(UpdateCommand, WrongUsage) {
  expect_usage({"update", kImage, "/tree"}, "--delta");
  expect_usage({"update", kImage, "--delta", "/d"}, "missing operand");
  expect_usage({"update", kImage, "/tree", "--delta", "/d", "--name", ""}, "--name");
  expect_usage({"update", kImage, "-", "--delta", "/d"}, "-");
}

}  // namespace
}  // namespace dgfs::test
