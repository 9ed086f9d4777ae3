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

using format::AccessList;
using format::AccessTag;
using format::encode_access_list;
using format::parse_access_list;
using format::parse_valid_access_list;

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

TEST(AccessList, IsWrittenAsItWasRead) {
  const auto list = parse_access_list(kWithMask);
  ASSERT_TRUE(list);
  EXPECT_EQ(encode_access_list(*list), kWithMask);
  EXPECT_EQ(encode_access_list({}), (Buffer{2, 0, 0, 0}));
}

TEST(AccessList, AnIdIsWrittenOnlyOfTagsThatAskForOne) {
  auto list = parse_access_list(kWithMask);
  ASSERT_TRUE(list);
  for (auto& entry : *list) {
    if (entry.tag != AccessTag::kUser) entry.id = 7;
  }
  EXPECT_EQ(encode_access_list(*list), kWithMask);
  list->insert(list->begin() + 3, {.tag = AccessTag::kGroup, .permissions = 1, .id = 77});
  EXPECT_EQ(parse_access_list(encode_access_list(*list))->at(3), list->at(3));
}

const format::AccessEntry kOwner = {.tag = AccessTag::kOwner, .permissions = 6};
const format::AccessEntry kUser = {.tag = AccessTag::kUser, .permissions = 7, .id = 9};
const format::AccessEntry kOtherUser = {.tag = AccessTag::kUser, .permissions = 7, .id = 3};
const format::AccessEntry kOwningGroup = {.tag = AccessTag::kOwningGroup, .permissions = 5};
const format::AccessEntry kGroup = {.tag = AccessTag::kGroup, .permissions = 1, .id = 9};
const format::AccessEntry kMask = {.tag = AccessTag::kMask, .permissions = 3};
const format::AccessEntry kOther = {.tag = AccessTag::kOther, .permissions = 0};

bool is_valid(const AccessList& list) {
  return parse_valid_access_list(encode_access_list(list)).has_value();
}

TEST(AccessList, AListThatLinuxTakesIsValid) {
  EXPECT_TRUE(is_valid({kOwner, kOwningGroup, kOther}));
  EXPECT_TRUE(is_valid({kOwner, kOwningGroup, kMask, kOther}));
  EXPECT_TRUE(is_valid({kOwner, kUser, kOwningGroup, kMask, kOther}));
  EXPECT_TRUE(is_valid({kOwner, kOwningGroup, kGroup, kMask, kOther}));
  // The ids are in no order, and one repeats.
  EXPECT_TRUE(is_valid({kOwner, kUser, kOtherUser, kUser, kOwningGroup, kGroup, kMask, kOther}));
}

TEST(AccessList, AListThatLinuxRefusesIsNotValid) {
  EXPECT_FALSE(is_valid({}));
  EXPECT_FALSE(is_valid({kOwningGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup}));
  EXPECT_FALSE(is_valid({kOwner, kOwner, kOwningGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kOwningGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kMask, kMask, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kOther, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kUser, kOwningGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kUser, kMask, kOther}));
  EXPECT_FALSE(is_valid({kOwningGroup, kOwner, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kOther, kMask}));
}

TEST(AccessList, AnEntryThatNoneCanBeIsNotValid) {
  auto user = kUser;
  user.id = 0xFFFFFFFF;
  EXPECT_FALSE(is_valid({kOwner, user, kOwningGroup, kMask, kOther}));
  auto group = kGroup;
  group.id = 0xFFFFFFFF;
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, group, kMask, kOther}));
  auto above_seven = kOwner;
  above_seven.permissions = 8;
  EXPECT_FALSE(is_valid({above_seven, kOwningGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, kOwningGroup, kOther, {.tag = AccessTag{0x40}}}));
  EXPECT_FALSE(is_valid({{.tag = AccessTag{0}}, kOwner, kOwningGroup, kOther}));
  EXPECT_FALSE(is_valid({kOwner, {.tag = AccessTag{0x03}}, kOwningGroup, kMask, kOther}));
}

}  // namespace
}  // namespace dgfs::test
