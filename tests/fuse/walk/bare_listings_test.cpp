// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/bare_listings.h"

#include <gtest/gtest.h>

#include <vector>

namespace dgfs::test {
namespace {

using fuse::BareListings;
using Directories = std::vector<format::InodeNumber>;

// Directories 100, 200 ...; files of 100 have the numbers from 100'000 on.
class BareListingsTest : public testing::Test {
 protected:
  void add(format::InodeNumber directory, std::size_t names) {
    listings_.begin(directory);
    listings_.add(directory, names);
  }
  // Looks up files of a directory in order until there is a reason.
  std::optional<Directories> look_up(format::InodeNumber directory, std::size_t files,
                                     format::InodeNumber distance = 1) {
    for (std::size_t i = 0; i < files; ++i) {
      auto dropped = listings_.saw_lookup(directory, 1000 * directory + distance * i);
      lookups_ = i + 1;
      if (dropped) return dropped;
    }
    return std::nullopt;
  }
  BareListings listings_;
  std::size_t lookups_ = 0;
};

TEST_F(BareListingsTest, AWalkDropsTheOthersThoseBehindItFirst) {
  for (const auto directory : Directories{500, 100, 300, 200, 400}) add(directory, 50);
  EXPECT_EQ(look_up(300, 50), (Directories{400, 500, 100, 200}));
  EXPECT_EQ(lookups_, 17u) << "the first one has no neighbour";
  EXPECT_EQ(listings_.size(), 1u);
}

TEST_F(BareListingsTest, LookupsHereAndThereCountLess) {
  add(100, 1000);
  add(200, 1000);
  EXPECT_EQ(look_up(100, 1000, 50), (Directories{200}));
  EXPECT_EQ(lookups_, BareListings::kReason);
}

TEST_F(BareListingsTest, TwoWalksAtOnceHaveNeighbours) {
  add(100, 1000);
  add(200, 1000);
  add(300, 1000);
  std::size_t lookups = 0;
  std::optional<Directories> dropped;
  while (!dropped) {
    const auto directory = 100 * (lookups % 2 + 1);
    dropped = listings_.saw_lookup(directory, 1000 * directory + lookups / 2);
    ++lookups;
  }
  EXPECT_EQ(*dropped, (Directories{300}));
  EXPECT_LE(lookups, 20u);
}

TEST_F(BareListingsTest, OtherDirectoriesAreNoReason) {
  add(100, 50);
  EXPECT_FALSE(look_up(700, 1000));
}

TEST_F(BareListingsTest, LookedUpDirectoriesArePastAndCountNoMore) {
  add(100, 1000);
  ASSERT_EQ(look_up(100, 1000), (Directories{}));
  EXPECT_FALSE(look_up(100, 900)) << "the rest of a directory that a walk has listed";
  add(200, 50);
  EXPECT_FALSE(look_up(100, 50));
  EXPECT_EQ(look_up(200, 50), (Directories{}));
}

TEST_F(BareListingsTest, ADirectoryWhoseNamesAreAllLookedUpIsWhole) {
  add(100, 3);
  EXPECT_FALSE(look_up(100, 3));
  EXPECT_EQ(listings_.size(), 0u);
}

TEST_F(BareListingsTest, AListingFromTheBeginningReplacesTheEarlierOne) {
  add(100, 50);
  listings_.add(100, 20);  // its second part
  listings_.begin(100);
  EXPECT_EQ(listings_.size(), 0u);
  listings_.add(100, 0);
  EXPECT_EQ(listings_.size(), 0u);
}

TEST_F(BareListingsTest, AfterADropTheCountBeginsAgain) {
  add(100, 1000);
  ASSERT_TRUE(look_up(100, 1000));
  add(200, 15);
  add(300, 15);
  EXPECT_FALSE(look_up(200, 15));
  EXPECT_EQ(listings_.size(), 2u) << "100 and 300";
}

}  // namespace
}  // namespace dgfs::test
