// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/extent_cover.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::reader {
namespace {

std::string gaps_of(const ExtentCover& cover, format::VolumeNumber volume, std::uint64_t begin,
                    std::uint64_t end) {
  std::string gaps;
  EXPECT_TRUE(cover.each_gap(volume, begin, end, [&](auto from, auto to) {
    gaps += std::to_string(from) + "-" + std::to_string(to) + " ";
    return Status(ok());
  }));
  return gaps;
}

TEST(ExtentCover, NothingIsOneGap) {
  const ExtentCover cover;
  EXPECT_EQ(gaps_of(cover, 0, 10, 20), "10-20 ");
  EXPECT_EQ(gaps_of(cover, 0, 20, 20), "");
}

TEST(ExtentCover, KnowsVolumesApart) {
  ExtentCover cover;
  cover.add({0, 10}, 5);
  cover.add({2, 12}, 100);
  EXPECT_EQ(gaps_of(cover, 0, 10, 20), "15-20 ");
  EXPECT_EQ(gaps_of(cover, 1, 10, 20), "10-20 ");
  EXPECT_EQ(gaps_of(cover, 2, 10, 20), "10-12 ");
}

TEST(ExtentCover, StopsAtAnError) {
  ExtentCover cover;
  cover.add({0, 12}, 2);
  int calls = 0;
  EXPECT_FALSE(cover.each_gap(0, 10, 20, [&](auto, auto) {
    ++calls;
    return Status(Error(ErrorKind::kIo, 1, "test"));
  }));
  EXPECT_EQ(calls, 1);
}

TEST(ExtentCover, BearsExtentsThatPassTheEndOfNumbers) {
  ExtentCover cover;
  cover.add({0, 15}, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(gaps_of(cover, 0, 10, 20), "10-15 ");
}

// Against a map of bytes.
TEST(ExtentCover, FindsTheBytesThatNoExtentHas) {
  constexpr std::uint64_t kBytes = 300;
  test::Random random(20261128);
  for (int round = 0; round < 300; ++round) {
    ExtentCover cover;
    std::vector<bool> covered(kBytes);
    for (auto extents = random.below(40); extents != 0; --extents) {
      const auto begin = random.below(kBytes);
      const auto length = random.below(20);
      cover.add({0, begin}, length);
      for (auto at = begin; at < std::min(kBytes, begin + length); ++at) covered[at] = true;
    }
    std::vector<bool> found(kBytes, true);
    ASSERT_TRUE(cover.each_gap(0, 0, kBytes, [&](auto begin, auto end) {
      EXPECT_LT(begin, end);
      for (auto at = begin; at < end; ++at) found[at] = false;
      return Status(ok());
    }));
    ASSERT_EQ(found, covered);
    ASSERT_TRUE(cover.is_complete());
  }
}

}  // namespace
}  // namespace dgfs::reader
