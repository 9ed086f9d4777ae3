// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/walkers.h"

#include <gtest/gtest.h>

#include <array>

namespace dgfs::test {
namespace {

using fuse::ListingPlan;
using fuse::Walkers;

constexpr ListingPlan kWhole{};
constexpr ListingPlan kProbing{.probes = Walkers::kProbes, .bare_names = 0};
constexpr format::InodeNumber kRoot = 1;

class WalkersTest : public testing::Test {
 protected:
  // Lists a directory whose files have the numbers from 10 * directory on.
  ListingPlan list(Walkers::Id id, format::InodeNumber directory, std::size_t files,
                   format::InodeNumber parent = kRoot) {
    const auto plan = walkers_.begin(id, directory, parent, now_ns_);
    std::array<format::InodeNumber, Walkers::kProbes> probes{};
    const auto count = std::min(plan.probes, files);
    for (std::size_t i = 0; i < count; ++i) probes.at(i) = 10 * directory + i;
    walkers_.gave(id, std::span(probes).first(count), std::min(plan.bare_names, files - count));
    return plan;
  }
  Walkers walkers_;
  std::uint64_t now_ns_ = 1'000'000'000;
};

TEST_F(WalkersTest, ANewOneIsProbed) { EXPECT_EQ(list(7, 100, 5), kProbing); }

TEST_F(WalkersTest, UnknownOnesGetWholeListings) {
  for (format::InodeNumber directory = 100; directory < 110; ++directory) {
    EXPECT_EQ(list(0, directory, 5), kWhole);
  }
}

TEST_F(WalkersTest, WhoLeavesProbesAloneGetsBareNames) {
  list(7, 100, 5);
  EXPECT_EQ(list(7, 200, 1000).bare_names, Walkers::kBareNamesMin);
}

TEST_F(WalkersTest, WhoAsksForAProbeGetsAllAttributes) {
  list(7, 100, 5);
  walkers_.saw_attributes(1001);
  for (format::InodeNumber directory = 200; directory < 210; ++directory) {
    EXPECT_EQ(list(7, directory, 5), kWhole);
  }
}

TEST_F(WalkersTest, OtherAttributesProveNothing) {
  list(7, 100, 5);
  walkers_.saw_attributes(1003);
  walkers_.saw_attributes(0);
  EXPECT_NE(list(7, 200, 5).bare_names, 0u);
}

// The files of a directory may be visited after its first subdirectory.
TEST_F(WalkersTest, GoingDownProvesNothing) {
  list(7, 100, 5);
  EXPECT_EQ(list(7, 101, 5, 100), kProbing);
  EXPECT_EQ(list(7, 102, 5, 101), kProbing);
  walkers_.saw_attributes(1000);  // of the uppermost directory
  EXPECT_EQ(list(7, 103, 5, 102), kWhole);
}

TEST_F(WalkersTest, ListingAgainProvesNothing) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(list(7, 100, 5), kProbing);
}

TEST_F(WalkersTest, ADirectoryWithoutFilesProvesNothing) {
  for (format::InodeNumber directory = 100; directory < 110; ++directory) {
    EXPECT_EQ(list(7, directory, 0), kProbing);
  }
  list(7, 110, 1);
  EXPECT_EQ(list(7, 120, 1), kProbing) << "one probe is too few";
  EXPECT_NE(list(7, 130, 1).bare_names, 0u);
}

// So that a misjudged walker loses only a part of what it has won.
TEST_F(WalkersTest, BareNamesGrowWithThoseThatWereLeftAlone) {
  list(7, 100, 5);
  std::size_t given = 0;
  for (format::InodeNumber directory = 200; directory < 240; ++directory) {
    const auto plan = list(7, directory, 1'000'000);
    EXPECT_EQ(plan.bare_names,
              std::min(Walkers::kBareNamesMax, Walkers::kBareNamesMin + given / 2));
    given += plan.bare_names;
  }
  EXPECT_EQ(list(7, 300, 1'000'000).bare_names, Walkers::kBareNamesMax);
}

TEST_F(WalkersTest, APlanIsForAllPartsOfADirectory) {
  EXPECT_EQ(walkers_.begin(7, 100, kRoot, now_ns_), kProbing);
  walkers_.gave(7, {}, 0);  // only directories so far
  EXPECT_EQ(walkers_.go_on(7, 100, now_ns_), kProbing);
  const std::array<format::InodeNumber, 1> one{1000};
  walkers_.gave(7, one, 0);
  EXPECT_EQ(walkers_.go_on(7, 100, now_ns_).probes, Walkers::kProbes - 1);
  EXPECT_EQ(walkers_.go_on(7, 99, now_ns_), kWhole) << "another directory that it began before";
  list(7, 200, 5);
  (void)walkers_.begin(7, 300, kRoot, now_ns_);
  walkers_.gave(7, {}, Walkers::kBareNamesMin - 10);
  EXPECT_EQ(walkers_.go_on(7, 300, now_ns_).bare_names, 10u);
}

TEST_F(WalkersTest, LookupsEndBareNames) {
  list(7, 100, 5);
  ASSERT_NE(list(7, 200, 5).bare_names, 0u);
  walkers_.stop_bare_names();
  EXPECT_EQ(list(7, 300, 5), kWhole);
  EXPECT_EQ(list(8, 300, 5), kProbing) << "a new walker";
}

TEST_F(WalkersTest, WhoPausesIsJudgedAnew) {
  list(7, 100, 5);
  ASSERT_NE(list(7, 200, 5).bare_names, 0u);
  now_ns_ += Walkers::kPauseNs;
  EXPECT_NE(list(7, 300, 5).bare_names, 0u);
  now_ns_ += Walkers::kPauseNs + 1;
  EXPECT_EQ(list(7, 400, 5), kProbing);
  walkers_.saw_attributes(4000);
  now_ns_ += Walkers::kPauseNs + 1;
  EXPECT_EQ(list(7, 500, 5), kProbing);
}

TEST_F(WalkersTest, TimesOfTwoThreadsMayCross) {
  list(7, 100, 5);
  now_ns_ -= 1000;
  EXPECT_NE(list(7, 200, 5).bare_names, 0u);
}

TEST_F(WalkersTest, EachIsJudgedByItself) {
  list(7, 100, 5);
  list(8, 100, 5);
  walkers_.saw_attributes(1000);  // both had this probe
  list(9, 500, 5);
  EXPECT_EQ(list(7, 200, 5), kWhole);
  EXPECT_EQ(list(8, 200, 5), kWhole);
  EXPECT_NE(list(9, 200, 5).bare_names, 0u);
}

TEST_F(WalkersTest, TheOldestAreForgotten) {
  list(7, 100, 5);
  for (Walkers::Id id = 1000; id < 1200; ++id) {
    ++now_ns_;
    EXPECT_EQ(list(id, 100, 5), kProbing);
  }
  EXPECT_EQ(list(7, 200, 5), kProbing);
  walkers_.gave(1000, {}, 5);  // is no longer known
}

}  // namespace
}  // namespace dgfs::test
