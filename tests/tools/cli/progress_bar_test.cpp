// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/progress_bar.h"

#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "tests/tools/tool_run.h"

namespace dgfs::tools {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

TEST(RenderProgress, ShowsShareRateAndTimeLeft) {
  const ProgressState state{"packing", 6'900'000'000, 9'710'000'000, 11 * kSecondNs};
  EXPECT_EQ(render_progress(state, 100),
            "packing   [#########################-----------]   71%  6.90 GB of 9.71 GB  627 MB/s  "
            "0:05 left");
}

TEST(RenderProgress, ShrinksToTheTerminal) {
  const ProgressState state{"packing", 50, 100, kSecondNs};
  for (const std::size_t width : {0U, 5U, 20U, 60U, 79U, 200U}) {
    EXPECT_LE(render_progress(state, width).size(), width);
  }
  EXPECT_NE(render_progress(state, 70).find("[#"), std::string::npos);
}

TEST(RenderProgress, NeverExceedsAHundredPercent) {
  const std::string line = render_progress({"verifying", 200, 100, kSecondNs}, 120);
  EXPECT_NE(line.find("100%"), std::string::npos);
  EXPECT_NE(line.find("0:00 left"), std::string::npos);
}

TEST(RenderProgress, CountsWhereNothingIsKnown) {
  EXPECT_EQ(render_progress({"scanning", 1'204'311, 0, 10 * kSecondNs}, 80),
            "scanning  1,204,311 entries  120,431/s");
}

// If the first of many files came late, the estimate would say hours.
TEST(RenderProgress, JudgesByASecondOfWorkOrMore) {
  const std::string early = render_progress({"packing", 5, 1'000'000, kSecondNs / 20}, 100);
  EXPECT_EQ(early.find("left"), std::string::npos) << early;
  EXPECT_EQ(early.find("/s"), std::string::npos) << early;
  EXPECT_TRUE(early.ends_with("5 B of 1.00 MB")) << early;
  const std::string settled = render_progress({"packing", 600, 1000, 2 * kSecondNs, 400}, 100);
  EXPECT_NE(settled.find("100 B/s  0:04 left"), std::string::npos) << settled;
}

TEST(ClockText, HasHoursWhereNeeded) {
  EXPECT_EQ(clock_text(5), "0:05");
  EXPECT_EQ(clock_text(754), "12:34");
  EXPECT_EQ(clock_text(3723), "1:02:03");
}

class ProgressBarTest : public ::testing::Test {
 protected:
  void advance_seconds(std::int64_t seconds) {
    Time now = env_->now();
    now.seconds += seconds;
    env_->set_now(now);
  }
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
};

TEST_F(ProgressBarTest, IsSilentForASecond) {
  test::ToolRun run(*env_, {.err_is_terminal = true});
  ProgressBar bar(run.io(), false);
  bar.update("packing", 1, 10);
  bar.update("packing", 2, 10);
  EXPECT_EQ(run.err(), "");
  advance_seconds(2);
  bar.update("packing", 5, 10);
  EXPECT_NE(run.err().find("\rpacking"), std::string::npos);
  bar.clear();
  EXPECT_TRUE(run.err().ends_with("\r\x1b[K"));
}

// The build trains dictionaries before it packs the first byte.
TEST_F(ProgressBarTest, MeasuresFromTheFirstProgressOn) {
  test::ToolRun run(*env_, {.err_is_terminal = true});
  ProgressBar bar(run.io(), false);
  bar.update("packing", 0, 5000);
  advance_seconds(60);
  bar.update("packing", 0, 5000);
  advance_seconds(1);
  bar.update("packing", 1000, 5000);
  EXPECT_EQ(run.err().find("left"), std::string::npos) << run.err();
  advance_seconds(2);
  bar.update("packing", 3000, 5000);
  EXPECT_NE(run.err().find("1.00 KB/s  0:02 left"), std::string::npos) << run.err();
  bar.update("indexing", 3000, 0);
  advance_seconds(3);
  bar.update("indexing", 3300, 0);
  EXPECT_NE(run.err().find("3,300 entries  100/s"), std::string::npos) << run.err();
}

TEST_F(ProgressBarTest, IsSilentElsewhere) {
  test::ToolRun pipe(*env_, {.err_is_terminal = false});
  test::ToolRun quiet(*env_, {.err_is_terminal = true});
  ProgressBar pipe_bar(pipe.io(), false);
  ProgressBar quiet_bar(quiet.io(), true);
  advance_seconds(5);
  pipe_bar.update("packing", 5, 10);
  quiet_bar.update("packing", 5, 10);
  EXPECT_EQ(pipe.err() + quiet.err(), "");
}

}  // namespace
}  // namespace dgfs::tools
