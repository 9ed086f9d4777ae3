// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A small real tree with every kind of entry, packed by dgfs build: the commands under test read
// the image, GNU tools the tree.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/env.h"
#include "tests/support/temp_dir.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

/// The lines of a text, sorted.
[[nodiscard]] std::vector<std::string> sorted_lines(const std::string& text);

class TreeFixture : public ::testing::Test {
 protected:
  TreeFixture();
  /// Makes the tree and the image; ends the test if that fails.
  void SetUp() override;

  /// Runs dgfs COMMAND IMAGE REST...
  Outcome dgfs(const std::string& command, const std::vector<std::string>& rest = {},
               ToolRunOptions options = {});
  /// Runs any command line.
  Outcome run(const std::vector<std::string>& arguments, ToolRunOptions options = {});
  /// Runs a shell command in the tree, in the C locale; returns its output.
  [[nodiscard]] std::string shell(const std::string& command) const;

  TempDir dir_;
  std::unique_ptr<storage::Env> env_;
  std::string tree_;
  std::string image_;
};

}  // namespace dgfs::test
