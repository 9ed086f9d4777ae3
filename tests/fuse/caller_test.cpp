// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/caller.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

TEST(FuseCaller, IdsForFilesAreTheLastOfFour) {
  const auto ids = fuse::ids_in_status(
      "Name:\tUid: 3\nUmask:\t0022\nUid:\t1\t2\t3\t1000\nGid:\t5\t6\t7\t4294967294\nFDSize:\t64\n");
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->uid, 1000U);
  EXPECT_EQ(ids->gid, 4294967294U);
}

TEST(FuseCaller, OtherTextsHaveNone) {
  for (const char* text : {"", "\nUid:", "\nUid:\t1\t2\t3\tx\nGid:\t1\t1\t1\t1\n",
                           "\nUid:\t1\t1\t1\t1\nGid", "\nUid:\t1\t1\t1\t99999999999\nGid:\t1"}) {
    EXPECT_FALSE(fuse::ids_in_status(text)) << text;
  }
}

}  // namespace
}  // namespace dgfs::test
