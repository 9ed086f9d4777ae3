// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/access_list.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

// user::rw-, user:1234:rwx, group::r-x, mask::rw-, other::---
const Buffer kWithMask = {2,    0, 0, 0,                       //
                          1,    0, 6, 0, 255, 255, 255, 255,   //
                          2,    0, 7, 0, 210, 4,   0,   0,     //
                          4,    0, 5, 0, 255, 255, 255, 255,   //
                          0x10, 0, 6, 0, 255, 255, 255, 255,   //
                          0x20, 0, 0, 0, 255, 255, 255, 255};  //

using format::parse_access_list;

TEST(AccessList, IsReadEntryForEntry) {
  const auto list = parse_access_list(kWithMask);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 5U);
  EXPECT_EQ((*list)[1].tag, format::AccessTag::kUser);
  EXPECT_EQ((*list)[1].permissions, 7U);
  EXPECT_EQ((*list)[1].id, 1234U);
}

TEST(AccessList, ItsMaskLimitsWhatTheGroupHas) {
  const auto list = parse_access_list(kWithMask);
  ASSERT_TRUE(list);
  EXPECT_EQ(format::mask_of(*list), 06U);
  EXPECT_EQ(format::owning_group_of(*list), 04U);
}

TEST(AccessList, WithoutAMaskTheGroupHasAllThatItsEntrySays) {
  auto value = kWithMask;
  value.erase(value.begin() + 28, value.begin() + 36);
  const auto list = parse_access_list(value);
  ASSERT_TRUE(list);
  EXPECT_EQ(format::mask_of(*list), 07U);
  EXPECT_EQ(format::owning_group_of(*list), 05U);
}

TEST(AccessList, WithoutAnEntryOfTheGroupSaysNothingOfIt) {
  const auto list = parse_access_list(Buffer{2, 0, 0, 0});
  ASSERT_TRUE(list);
  EXPECT_EQ(format::owning_group_of(*list), std::nullopt);
}

TEST(AccessList, WhatIsNoneOrIsCutIsNotRead) {
  EXPECT_FALSE(parse_access_list({}));
  EXPECT_FALSE(parse_access_list(as_bytes("own")));
  auto other_version = kWithMask;
  other_version[0] = 1;
  EXPECT_FALSE(parse_access_list(other_version));
  for (std::size_t length = 0; length < kWithMask.size(); ++length) {
    const Buffer cut(kWithMask.begin(), kWithMask.begin() + static_cast<long>(length));
    EXPECT_EQ(parse_access_list(cut).has_value(), length % 8 == 4) << length;
  }
}

}  // namespace
}  // namespace dgfs::test
