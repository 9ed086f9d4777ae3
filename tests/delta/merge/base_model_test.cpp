// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random operations on a view and on a plain tree, which must give the same answers, with merges
// into bases and joins of layers in between: none changes the tree, a number, or where a listing
// goes on.
#include <gtest/gtest.h>

#include <string>

#include "tests/delta/merge/merge_run.h"

namespace dgfs::test {
namespace {

TEST(BaseModel, NoMergeChangesTheTree) {
  MergeCounts all;
  for (std::uint64_t seed = 0; seed < 30 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    all += run_merges(seed, 400);
  }
  RecordProperty("done", to_string(all));
  EXPECT_GT(all.switches, 60U);
  EXPECT_GT(all.again, 20U);
  EXPECT_GT(all.kept, 40U);
  EXPECT_GT(all.offline, 15U);
  EXPECT_GT(all.threads, 15U);
  EXPECT_GT(all.given_up, 10U);
  EXPECT_GT(all.looks, 40U);
  EXPECT_GT(all.base_looks, 20U);
  EXPECT_GT(all.names_read, 1000U);
  EXPECT_GT(all.joins, 15U);
  EXPECT_GT(all.joins_given_up, 2U);
  EXPECT_GT(all.offline_joins, 2U);
}

}  // namespace
}  // namespace dgfs::test
