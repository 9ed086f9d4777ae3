// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/ahead/read_forecast.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using fuse::ReadForecast;

// Looks up and reads `count` files from `inode` on; returns how many reads were foretold.
unsigned read_files(ReadForecast& forecast, format::InodeNumber inode, unsigned count) {
  unsigned foretold = 0;
  for (const auto end = inode + count; inode < end; ++inode) {
    const bool expected = forecast.saw_lookup(inode);
    EXPECT_EQ(forecast.saw_read(inode), expected);
    foretold += expected ? 1U : 0U;
  }
  return foretold;
}

TEST(ReadForecast, KnowsNothingAtFirst) {
  ReadForecast forecast;
  EXPECT_FALSE(forecast.saw_lookup(7));
  EXPECT_FALSE(forecast.saw_read(8)) << "the file was never looked up";
  EXPECT_FALSE(forecast.saw_read(7));
}

TEST(ReadForecast, WhoReadsAFewFilesReadsOn) {
  ReadForecast forecast;
  EXPECT_EQ(read_files(forecast, 100, 8), 0u);
  EXPECT_EQ(read_files(forecast, 200, 50), 50u);
}

TEST(ReadForecast, LookupsAloneForetellNothing) {
  ReadForecast forecast;
  for (format::InodeNumber inode = 1; inode < 1000; ++inode) {
    EXPECT_FALSE(forecast.saw_lookup(inode));
  }
}

TEST(ReadForecast, EndsSoonAfterTheReads) {
  ReadForecast forecast;
  (void)read_files(forecast, 100, 200);
  unsigned foretold = 0;
  for (format::InodeNumber inode = 1000; inode < 2000; ++inode) {
    foretold += forecast.saw_lookup(inode) ? 1U : 0U;
  }
  EXPECT_LE(foretold, 40u);
  EXPECT_EQ(read_files(forecast, 3000, 8), 0u) << "the forecast forgets the earlier walk";
}

TEST(ReadForecast, ManyReadersAtOnce) {
  ReadForecast forecast;
  (void)read_files(forecast, 100, 20);
  constexpr format::InodeNumber kReaders = 16;
  for (format::InodeNumber round = 1000; round < 2000; round += kReaders) {
    for (auto inode = round; inode < round + kReaders; ++inode) {
      ASSERT_TRUE(forecast.saw_lookup(inode));
    }
    for (auto inode = round; inode < round + kReaders; ++inode) {
      ASSERT_TRUE(forecast.saw_read(inode));
    }
  }
}

// Two of three must be read: with fewer, most foretold reads would be in vain.
TEST(ReadForecast, TheShareOfReadsDecides) {
  for (const unsigned percent : {10u, 50u, 80u, 95u}) {
    ReadForecast forecast;
    SeededEngine random(percent);
    unsigned foretold = 0;
    for (format::InodeNumber inode = 1; inode <= 10'000; ++inode) {
      foretold += forecast.saw_lookup(inode) ? 1U : 0U;
      if (random() % 100 < percent) (void)forecast.saw_read(inode);
    }
    if (percent <= 50) {
      EXPECT_LT(foretold, 300u) << percent << " %";
    } else {
      EXPECT_GT(foretold, 8000u) << percent << " %";
    }
  }
}

}  // namespace
}  // namespace dgfs::test
