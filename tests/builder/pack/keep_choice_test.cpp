// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/keep_choice.h"

#include <gtest/gtest.h>

#include "format/limits.h"

namespace dgfs::builder {
namespace {

/// A volume of a thousand bytes of extents.
KeptVolume volume(format::VolumeNumber number, bool is_of_merge) {
  KeptVolume volume;
  volume.record = {number, format::kPageBytes + 1000, {}};
  volume.origin.number = number;
  volume.origin.is_of_merge = is_of_merge;
  return volume;
}

KeptUse use(std::uint64_t bytes) { return {bytes, 1, bytes, bytes}; }

using Numbers = VolumeNumbers;

TEST(KeepChoiceTest, GarbageIsPackedAnew) {
  const std::vector<KeptVolume> volumes = {volume(1, false), volume(2, false), volume(3, true)};
  const KeptUses uses = {{1, use(700)}, {2, use(699)}, {3, use(1)}};
  EXPECT_EQ(volumes_to_pack(volumes, uses, 0, {30U, false}), (Numbers{2, 3}));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 0, {0U, false}), (Numbers{1, 2, 3}));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 0, {99U, false}), (Numbers{3}));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 0, {std::nullopt, false}), (Numbers{}));
  // Without a dead byte, no share is too large.
  EXPECT_EQ(volumes_to_pack(volumes, {{1, use(1000)}}, 0, {0U, false}), (Numbers{}));
}

TEST(KeepChoiceTest, SmallMergesAreFolded) {
  const std::vector<KeptVolume> volumes = {volume(1, false), volume(2, true), volume(3, true),
                                           volume(4, true)};
  const KeptUses uses = {{1, use(1)}, {2, use(30)}, {3, use(10)}, {4, use(100)}};
  const KeepRules folds{std::nullopt, true};
  EXPECT_EQ(volumes_to_pack(volumes, uses, 9, folds), (Numbers{}));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 10, folds), (Numbers{3}));
  // Volume 3 makes room for volume 2, and both for volume 4. The first image stays.
  EXPECT_EQ(volumes_to_pack(volumes, uses, 20, folds), (Numbers{2, 3}));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 60, folds), (Numbers{2, 3, 4}));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 60, {std::nullopt, false}), (Numbers{}));
}

// Else merges that each have less than the one before would need ever more volumes.
TEST(KeepChoiceTest, FewVolumesOfMergesAreKept) {
  std::vector<KeptVolume> volumes{volume(1, false)};
  KeptUses uses{{1, use(1)}};
  for (format::VolumeNumber number = 2; number < 18; ++number) {
    volumes.push_back(volume(number, true));
    uses.emplace(number, use(1'000 - number * number));
  }
  const KeepRules folds{std::nullopt, true};
  EXPECT_EQ(volumes_to_pack(volumes, uses, 9, folds), (Numbers{}));
  volumes.push_back(volume(18, true));
  uses.emplace(18, use(500));
  EXPECT_EQ(volumes_to_pack(volumes, uses, 9, folds), (Numbers{18}));
  // It makes room for the next, and both for all others.
  uses.at(17) = use(509);
  EXPECT_EQ(volumes_to_pack(volumes, uses, 9, folds).size(), 17U);
  EXPECT_EQ(volumes_to_pack(volumes, uses, 9, {std::nullopt, false}), (Numbers{}));
}

TEST(KeepChoiceTest, AVolumeThatIsNotThereIsNotFolded) {
  std::vector<KeptVolume> volumes = {volume(1, true), volume(2, true)};
  volumes[0].is_there = false;
  const KeptUses uses = {{1, use(10)}, {2, use(20)}};
  EXPECT_EQ(volumes_to_pack(volumes, uses, 25, {std::nullopt, true}), (Numbers{2}));
  // It is asked for by name: reading then fails, and names the volume.
  EXPECT_EQ(volumes_to_pack(volumes, uses, 25, {50U, true}), (Numbers{1, 2}));
}

TEST(KeepChoiceTest, VolumesWithoutAUseAreNotPacked) {
  EXPECT_EQ(volumes_to_pack({volume(1, true)}, {}, 100, {0U, true}), (Numbers{}));
}

}  // namespace
}  // namespace dgfs::builder
