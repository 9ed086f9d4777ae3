// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/posix/env.h"
#include "tests/support/temp_dir.h"

namespace dgfs::storage {
namespace {

bool run(const std::vector<std::string>& words) { return run_silently("/bin/sh", words); }

TEST(Program, TellsWhetherItSucceeded) {
  EXPECT_TRUE(run({"-c", "exit 0"}));
  EXPECT_FALSE(run({"-c", "exit 3"}));
  EXPECT_FALSE(run({"-c", "kill -9 $$"}));
  EXPECT_FALSE(run_silently("/nowhere/program", {}));
}

TEST(Program, GetsItsArgumentsAsTheyAre) {
  const test::TempDir place;
  const auto path = place / "a b";
  EXPECT_TRUE(run({"-c", ": > \"$1\"", "sh", path}));
  EXPECT_TRUE(make_posix_env()->status(path));
}

TEST(Program, HasNoStreamsAndNoEnvironment) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_TRUE(run({"-c", "echo out; echo err >&2; ! read line; test -z \"$HOME\""}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace dgfs::storage
