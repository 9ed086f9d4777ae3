// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/version_order.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

TEST(VersionOrder, IsThatOfLsV) {
  // The order of `ls -av` of coreutils 9.1 for these names.
  const char* const kSorted[] = {".",      "..",    ".A",        ".0",     ".9",      "~",
                                 "0",      "9",     "a~",        "a",      "a.b",     "a.c~",
                                 "a01.gz", "a1.gz", "a2.tar.gz", "a10.gz", "a10b.gz", "a-1"};
  for (std::size_t i = 0; i + 1 < std::size(kSorted); ++i) {
    EXPECT_LE(compare_versions(kSorted[i], kSorted[i + 1]), 0) << kSorted[i];
    EXPECT_GE(compare_versions(kSorted[i + 1], kSorted[i]), 0) << kSorted[i];
  }
  EXPECT_EQ(compare_versions("a1.gz", "a01.gz"), 0);
  EXPECT_LT(compare_versions("", "a"), 0);
  EXPECT_LT(compare_versions("x99999999999999999999", "x100000000000000000000"), 0);
}

}  // namespace
}  // namespace dgfs::tools
