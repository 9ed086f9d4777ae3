// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/live_statistics.h"

#include <gtest/gtest.h>

#include "storage/posix/env.h"
#include "tests/tools/tool_run.h"

namespace dgfs::tools {
namespace {

constexpr const char* kStatistics =
    R"({"uuid":"0-1","seconds":3725,"transport":"io_uring","requests":{)"
    R"("lookup":{"count":12345,"failed":0,"p50_ns":14335,"p99_ns":20971519,)"
    R"("total_ns":3725000000000},)"
    R"("read_directory":{"count":0,"failed":0,"p50_ns":0,"p99_ns":0},)"
    R"("get_xattr":{"count":2,"failed":1,"p50_ns":0,"p99_ns":0}},"content_bytes":5000000,)"
    R"("prefetched":{"files":1200,"bytes":7000000},"announced":{"files":2100,"read":2050},)"
    R"("listings":{"bare_names":450000,"dropped":5098},)"
    R"("page_cache":{"hits":3,"misses":1,"evictions":0,"bytes":1000,"bytes_max":64000000},)"
    R"("frame_cache":{"hits":0,"misses":0,"evictions":0,"bytes":0,"bytes_max":32000000},)"
    R"("device":{"index":{"reads":7,"bytes":28672},"records":{"reads":0,"bytes":0},)"
    R"("data":{"reads":1234,"bytes":9000000}},"errors":1,"healed_pages":2})";

TEST(LiveStatistics, ForPeople) {
  const auto text = live_statistics_text(kStatistics);
  ASSERT_TRUE(text) << text.error().message();
  for (const char* part :
       {"mounted      1 h 2 min", "transport    io_uring", "lookup                          12,345",
        "14 us", "21 ms 1 h 2 min", "get xattr", "served       5.00 MB",
        "prefetched   1,200 files before they were requested, 7.00 MB",
        "announced    2,100 files when they were looked up, 2,050 of them read",
        "listings     450,000 names without attributes, 5,098 dropped",
        "page cache   75.0 % of 4 found, 1.00 KB of 64.0 MB", "data 1,234 (9.00 MB)",
        "1 error, 2 pages corrected"}) {
    EXPECT_NE(text.value().find(part), std::string::npos) << part << " in\n" << text.value();
  }
  EXPECT_EQ(text.value().find("read directory"), std::string::npos)
      << "requests that never came are not listed";
}

TEST(LiveStatistics, OfADelta) {
  std::string json = kStatistics;
  json.pop_back();
  json +=
      R"(,"written_bytes":1000,"known_objects":2,"delta":{"path":"/d","stores":1,)"
      R"("used_bytes":3000,"free_bytes":4000,"reserved_bytes":500,"max_bytes":0,"log_bytes":60,)"
      R"("block_bytes":70,"value_bytes":80,"moved_bytes":90,"checkpoints":1,)"
      R"("log_wait_ns":3725000000000,"tree_wait_ns":2000000000,"space_wait_ns":0}})";
  const auto text = live_statistics_text(json);
  ASSERT_TRUE(text) << text.error().message();
  for (const char* part : {"delta        /d, 1 store",
                           "waited       writers 1 h 2 min for the log, 2.00 s for the tree"}) {
    EXPECT_NE(text.value().find(part), std::string::npos) << part << " in\n" << text.value();
  }
}

TEST(LiveStatistics, WhatIsNoneIsRefused) {
  for (const char* json : {"", "{", "[]", "{}", R"({"requests":{}})"}) {
    const auto text = live_statistics_text(json);
    ASSERT_FALSE(text) << json;
    EXPECT_EQ(text.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(LiveStatistics, ADirectoryWithoutMountIsNamed) {
  const auto env = storage::make_posix_env();
  test::ToolRun run(*env);
  EXPECT_EQ(run.run({"info", "--live", "/"}), kExitFailed);
  EXPECT_NE(run.err().find("/: no image is mounted here"), std::string::npos) << run.err();
  EXPECT_EQ(run.run({"info", "--live", "/no/such/place"}), kExitFailed);
  EXPECT_NE(run.err().find("/no/such/place"), std::string::npos) << run.err();
}

}  // namespace
}  // namespace dgfs::tools
