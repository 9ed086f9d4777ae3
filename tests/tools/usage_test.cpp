// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Command lines that fail before an image is opened.
#include <gtest/gtest.h>

#include <csignal>

#include "storage/memory/env.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

class UsageTest : public ::testing::Test {
 protected:
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
};

TEST_F(UsageTest, WrongUsageExitsWithTwo) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"bulid"},
      {"ls"},
      {"ls", "--nonsense", "x"},
      {"ls", "--color=sometimes", "x"},
      {"ls", "--time-style=mine", "x"},
      {"ls", "--block-size=0", "x"},
      {"stat"},
      {"stat", "-c"},
      {"cat", "image"},
      {"find"},
      {"find", "-name", "x"},
      {"du"},
      {"du", "-d", "x", "image"},
      {"du", "-s", "-d", "1", "image"},
      {"du", "-B", "0", "image"},
      {"du", "-B", "c", "image"},
      {"du", "--time=birth", "image"},
      {"du", "--time-style=locale", "image"},
      {"info"},
      {"info", "a", "b"},
      {"info", "--live", "--scan", "a"},
      {"verify", "--jobs", "-1", "a"},
      {"extract", "image"},
      {"build", "src"},
      {"build", "a", "b", "c"},
      {"build", "--created", "now", "a", "b"},
      {"build", "--created", "2025-02-30", "a", "b"},
      {"mount", "image"},
      {"delta"},
      {"delta", "check"},
      {"delta", "check", "a", "b"},
      {"delta", "look", "a"},
      {"delta", "check", "--scan", "a"},
      {"delta", "seal", "a", "b"},
      {"delta", "seal", "--yes", "a"},
      {"delta", "check", "--wait", "a"},
      {"delta", "rollback", "a"},
      {"delta", "rollback", "a", "b", "c"},
      {"delta", "rollback", "--keep-last", "1", "a", "b"},
      {"delta", "drop", "a"},
      {"delta", "drop", "--yes", "a", "b"},
      {"delta", "drop", "--keep-last", "1", "a", "b"},
      {"delta", "drop", "--keep-daily", "0", "a"},
      {"delta", "drop", "--keep-weekly", "-1", "a"},
      {"delta", "drop", "--keep-monthly", "x", "a"},
      {"help", "nonsense"},
      {"help", "ls", "stat"},
      {"help", "--man", "nonsense"},
      {"help", "--completion", "fish"},
      {"help", "--paths", "image"},
  };
  for (const auto& arguments : cases) {
    ToolRun tool(*env_);
    const std::string command = arguments.empty() ? "" : arguments[0];
    EXPECT_EQ(tool.run(arguments), 2) << command;
    EXPECT_FALSE(tool.err().empty()) << command;
    EXPECT_EQ(tool.out(), "") << command;
  }
}

TEST_F(UsageTest, HelpGoesToTheOutput) {
  const std::vector<std::vector<std::string>> cases = {
      {"help"},         {"--help"},        {"-h"},           {"build", "--help"},
      {"build", "-h"},  {"help", "mount"}, {"ls", "--help"}, {"find", "--help"},
      {"du", "--help"}, {"stat", "-h"},    {"cat", "-h"},    {"info", "-h"},
      {"verify", "-h"}, {"extract", "-h"}, {"mount", "-h"},  {"help", "help"},
      {"help", "-h"},   {"delta", "-h"}};
  for (const auto& arguments : cases) {
    ToolRun tool(*env_);
    EXPECT_EQ(tool.run(arguments), 0) << arguments[0];
    EXPECT_TRUE(tool.out().find("Usage: dgfs ") != std::string::npos) << tool.out();
    EXPECT_EQ(tool.err(), "");
  }
}

TEST_F(UsageTest, VersionIsTheProjects) {
  ToolRun tool(*env_);
  EXPECT_EQ(tool.run({"--version"}), 0);
  EXPECT_TRUE(tool.out().starts_with("dgfs 0.")) << tool.out();
}

TEST_F(UsageTest, SuggestsCommands) {
  ToolRun tool(*env_);
  EXPECT_EQ(tool.run({"bulid", "a", "b"}), 2);
  EXPECT_TRUE(tool.err().starts_with("dgfs: bulid: unknown command; did you mean build?\n"));
}

TEST_F(UsageTest, MissingImagesExitWithOne) {
  for (const std::string command : {"ls", "stat", "find", "du", "info", "verify"}) {
    ToolRun tool(*env_);
    EXPECT_EQ(tool.run({command, "/missing.dgfs"}), 1) << command;
    EXPECT_TRUE(tool.err().starts_with("dgfs: " + command + ": /missing.dgfs")) << tool.err();
  }
}

TEST_F(UsageTest, ErrorsHideControlCharacters) {
  ToolRun tool(*env_);
  EXPECT_EQ(tool.run({"ls", "/missing\x1b[31m\n.dgfs"}), 1);
  EXPECT_EQ(tool.err().find('\x1b'), std::string::npos);
  EXPECT_EQ(tool.err().find('\n'), tool.err().size() - 1);
}

TEST_F(UsageTest, OnlyMountHandlesSignalsItself) {
  EXPECT_TRUE(tools::handles_signals({"mount", "a", "b"}));
  EXPECT_FALSE(tools::handles_signals({"build", "mount", "b"}));
  EXPECT_FALSE(tools::handles_signals({}));
}

// Pipelines of later tests, and of later commands, depend on it.
TEST_F(UsageTest, AMountLeavesTheSignalsOfItsProcessAsTheyWere) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  ToolRun tool(*env_);
  EXPECT_EQ(tool.run({"mount", "/missing.dgfs", "/missing"}), 1);
  EXPECT_EQ(std::signal(SIGPIPE, before), SIG_DFL);
}

}  // namespace
}  // namespace dgfs::test
