// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/overridden_change.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using fuse::AttributeOverrides;
using fuse::changes_nothing;
using fuse::keep_overridden;
using fuse::new_mode;
using view::AttributeChange;

constexpr std::uint32_t kFile = 0100644;
constexpr AttributeOverrides kOwner = {.uid = 7, .gid = 8, .umask = {}};
constexpr AttributeOverrides kUmask = {.uid = {}, .gid = {}, .umask = 022};

AttributeChange owners(std::uint32_t uid, std::uint32_t gid) {
  AttributeChange change;
  change.uid = uid;
  change.gid = gid;
  return change;
}

AttributeChange permissions(std::uint32_t bits) {
  AttributeChange change;
  change.permissions = bits;
  return change;
}

TEST(OverriddenChange, OnlyShownOwnersAreAccepted) {
  auto shown = owners(7, 8);
  EXPECT_TRUE(keep_overridden(kOwner, kFile, shown));
  EXPECT_TRUE(changes_nothing(shown));
  for (auto other : {owners(0, 8), owners(7, 0)}) {
    EXPECT_EQ(keep_overridden(kOwner, kFile, other).error().kind(), ErrorKind::kNotPermitted);
  }
  auto free = owners(1, 2);
  EXPECT_TRUE(keep_overridden(kUmask, kFile, free));
  EXPECT_EQ(free.uid, 1U);
  auto device = owners(1, 2);
  EXPECT_TRUE(keep_overridden(kOwner, 0020644, device));
  EXPECT_EQ(device.gid, 2U);
}

TEST(OverriddenChange, UmaskKeepsPermissions) {
  auto ignored = permissions(0600);
  EXPECT_TRUE(keep_overridden(kUmask, kFile, ignored));
  EXPECT_TRUE(changes_nothing(ignored));
  auto kept = permissions(0600);
  EXPECT_TRUE(keep_overridden(kOwner, kFile, kept));
  EXPECT_EQ(kept.permissions, 0600U);
}

TEST(OverriddenChange, HiddenBitsAreRefused) {
  for (const std::uint32_t bits : {04755U, 02755U}) {
    for (const auto& overrides : {kOwner, kUmask}) {
      auto change = permissions(bits);
      EXPECT_EQ(keep_overridden(overrides, kFile, change).error().kind(), ErrorKind::kNotPermitted);
      EXPECT_EQ(new_mode(overrides, 0100000 | bits), 0100755U);
    }
  }
  auto sticky = permissions(01777);
  EXPECT_FALSE(keep_overridden(kUmask, 0040755, sticky));
  auto shared = permissions(02775);
  EXPECT_TRUE(keep_overridden(kOwner, 0040755, shared)) << "a directory shows it";
  EXPECT_EQ(new_mode({}, 0104755), 0104755U);
}

}  // namespace
}  // namespace dgfs::test
