// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/merge_answer.h"

#include <gtest/gtest.h>

#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

TEST(MergeAnswer, ReadsTheWordsOfARequest) {
  const auto none = value_of(fuse::merge_request(""));
  EXPECT_FALSE(none.dry_run || none.to || none.repack.any());
  const auto all = value_of(fuse::merge_request(" to=nightly  dry_run repack=all"));
  EXPECT_TRUE(all.dry_run && all.repack.all);
  EXPECT_EQ(all.to, "nightly");
  EXPECT_EQ(value_of(fuse::merge_request("repack=0")).repack.dead_percent, 0U);
  EXPECT_EQ(value_of(fuse::merge_request("repack=99")).repack.dead_percent, 99U);
}

TEST(MergeAnswer, RefusesOtherWords) {
  for (const char* words : {"dry-run", "to", "repack", "repack=", "repack=100", "repack=-1",
                            "repack=+1", "repack=1.5", "repack=1 x", "repack=all all"}) {
    const auto request = fuse::merge_request(words);
    ASSERT_FALSE(request) << words;
    EXPECT_EQ(request.error().kind(), ErrorKind::kUnsupported) << words;
  }
}

TEST(MergeAnswer, TellsTheState) {
  merge::MergeStatus status;
  status.number = 3;
  status.is_running = true;
  status.is_dry_run = true;
  status.percent = 41;
  EXPECT_EQ(fuse::merge_state_text(status),
            R"({"number":3,"running":true,"dry_run":true,"percent":41,"done_bytes":0,)"
            R"("total_bytes":0,"waited_ms":0})");
  status = {};
  status.error = Error(ErrorKind::kIo, 1, "the reason");
  EXPECT_NE(fuse::merge_state_text(status).find(R"("error":"the reason")"), std::string::npos);
}

}  // namespace
}  // namespace dgfs::test
