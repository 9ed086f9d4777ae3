// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which volume each group of files goes to, whether file count or bytes limit the group.
#include "builder/read/volume_groups.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace dgfs::test {
namespace {

using builder::group_limits;
using builder::GroupLimits;
using builder::VolumeGroups;

constexpr GroupLimits kLimits{100, 100'000};

/// The files and bytes that each volume has been given.
struct Shares {
  explicit Shares(std::size_t volumes) : files(volumes), bytes(volumes) {}
  void add(VolumeGroups& groups, std::uint64_t size_bytes) {
    groups.add(size_bytes);
    ++files[groups.volume()];
    bytes[groups.volume()] += size_bytes;
  }
  std::vector<std::uint64_t> files;
  std::vector<std::uint64_t> bytes;
};

void expect_even(const std::vector<std::uint64_t>& shares) {
  std::uint64_t all = 0;
  for (const auto share : shares) all += share;
  const auto even = static_cast<double>(all) / static_cast<double>(shares.size());
  for (const auto share : shares) EXPECT_NEAR(static_cast<double>(share) / even, 1, 0.1);
}

// If two volumes took turns, one would get nearly all files and the other nearly all bytes.
TEST(VolumeGroupsTest, FullOfFilesAndFullOfBytesAreSpreadEvenly) {
  for (const std::size_t volumes : {2U, 3U, 4U}) {
    SCOPED_TRACE(volumes);
    VolumeGroups groups(volumes, kLimits);
    Shares shares(volumes);
    for (int round = 0; round < 64; ++round) {
      for (std::uint64_t i = 0; i < kLimits.files; ++i) shares.add(groups, 300);
      for (int i = 0; i < 2; ++i) shares.add(groups, kLimits.bytes / 2);
    }
    expect_even(shares.files);
    expect_even(shares.bytes);
  }
}

TEST(VolumeGroupsTest, EndAtEitherLimit) {
  VolumeGroups groups(2, kLimits);
  for (std::uint64_t i = 0; i < kLimits.files; ++i) {
    EXPECT_FALSE(groups.is_full_for(1)) << i;
    groups.add(1);
  }
  EXPECT_TRUE(groups.is_full_for(0));
  groups.add(kLimits.bytes - 1);
  EXPECT_EQ(groups.volume(), 1U);
  EXPECT_FALSE(groups.is_full_for(1));
  EXPECT_TRUE(groups.is_full_for(2));
}

TEST(VolumeGroupsTest, AFileOverTheLimitIsAGroup) {
  VolumeGroups groups(3, kLimits);
  EXPECT_FALSE(groups.is_full_for(kLimits.bytes + 1));  // the first group is still empty
  for (const int volume : {0, 1, 2, 0}) {
    groups.add(kLimits.bytes + 1);
    EXPECT_EQ(groups.volume(), volume);
    EXPECT_TRUE(groups.is_full_for(0));
  }
}

TEST(VolumeGroupsTest, LargeFilesStandApart) {
  const VolumeGroups groups(2, kLimits);
  EXPECT_FALSE(groups.is_apart(builder::kGroupedFileBytesMax));
  EXPECT_TRUE(groups.is_apart(builder::kGroupedFileBytesMax + 1));
}

TEST(VolumeGroupsTest, OneVolumeIsOneGroup) {
  VolumeGroups groups(1, {1, 1});
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(groups.is_full_for(1 << 20));
    groups.add(1 << 20);
    EXPECT_EQ(groups.volume(), 0U);
  }
  EXPECT_FALSE(groups.is_apart(std::numeric_limits<std::uint64_t>::max()));
}

TEST(VolumeGroupsTest, LimitsFollowTheTreeWithinBounds) {
  constexpr std::uint64_t kMiB = 1 << 20;
  const auto small = group_limits(4, 0, 0);
  EXPECT_EQ(small.files, 4096U);
  EXPECT_EQ(small.bytes, 32 * kMiB);
  const auto middle = group_limits(4, 640'000, 6400 * kMiB);  // 16 groups for each volume
  EXPECT_EQ(middle.files, 10'000U);
  EXPECT_EQ(middle.bytes, 100 * kMiB);
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  const auto large = group_limits(1, kAll, kAll);
  EXPECT_EQ(large.files, 65'536U);
  EXPECT_EQ(large.bytes, 1024 * kMiB);
}

}  // namespace
}  // namespace dgfs::test
