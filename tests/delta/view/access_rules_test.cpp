// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The rules one by one, including those for broken lists, which a kernel never shows.
// access_rules_kernel_test.cpp compares the rules with the kernel's.
#include "delta/view/access_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "format/entry/access_list.h"

namespace dgfs::test {
namespace {

using format::AccessList;
using format::AccessTag;
using format::encode_access_list;
using format::kTypeDirectory;
using format::kTypeFifo;
using format::kTypeRegular;
using format::kTypeSymlink;

const view::Credentials kSomebody = {.uid = 1000, .gid = 100, .umask = 027};
/// Returns the attributes of a directory of group 50.
view::Attributes parent_of(std::uint32_t permissions) {
  view::Attributes attributes;
  attributes.mode = kTypeDirectory | permissions;
  attributes.uid = 5;
  attributes.gid = 50;
  return attributes;
}

const view::Attributes kParent = parent_of(0755);
const view::Attributes kSetGroupParent = parent_of(02755);

AccessList small_list(std::uint32_t owner, std::uint32_t group, std::uint32_t other) {
  return {{.tag = AccessTag::kOwner, .permissions = owner},
          {.tag = AccessTag::kOwningGroup, .permissions = group},
          {.tag = AccessTag::kOther, .permissions = other}};
}

AccessList large_list(std::uint32_t owner, std::uint32_t group, std::uint32_t mask,
                      std::uint32_t other) {
  return {{.tag = AccessTag::kOwner, .permissions = owner},
          {.tag = AccessTag::kUser, .permissions = 7, .id = 9},
          {.tag = AccessTag::kOwningGroup, .permissions = group},
          {.tag = AccessTag::kMask, .permissions = mask},
          {.tag = AccessTag::kOther, .permissions = other}};
}

TEST(Inherit, WithoutADefaultListTheUmaskIsTaken) {
  const auto made = view::inherit(kParent, std::nullopt, kTypeRegular | 06777, kSomebody);
  EXPECT_EQ(made.mode, kTypeRegular | 06750U);
  EXPECT_EQ(made.uid, 1000U);
  EXPECT_EQ(made.gid, 100U);
  EXPECT_FALSE(made.access_list);
  EXPECT_FALSE(made.default_list);
}

TEST(Inherit, ADefaultListStandsForTheUmask) {
  const auto value = encode_access_list(large_list(6, 5, 7, 4));
  const auto made = view::inherit(kParent, value, kTypeRegular | 0666, kSomebody);
  EXPECT_EQ(made.mode, kTypeRegular | 0664U);
  EXPECT_EQ(made.access_list, encode_access_list(large_list(6, 5, 6, 4)));
  EXPECT_FALSE(made.default_list);
}

TEST(Inherit, AListThatSaysNoMoreThanTheModeIsNotKept) {
  const auto value = encode_access_list(small_list(7, 5, 1));
  const auto made = view::inherit(kParent, value, kTypeDirectory | 0773, kSomebody);
  EXPECT_EQ(made.mode, kTypeDirectory | 0751U);
  EXPECT_FALSE(made.access_list);
  EXPECT_EQ(made.default_list, value);
}

TEST(Inherit, TheGroupOfADirectoryThatHandsItOn) {
  const auto file = view::inherit(kSetGroupParent, std::nullopt, kTypeRegular | 0644, kSomebody);
  EXPECT_EQ(file.mode, kTypeRegular | 0640U);
  EXPECT_EQ(file.gid, 50U);
  const auto folder =
      view::inherit(kSetGroupParent, std::nullopt, kTypeDirectory | 0755, kSomebody);
  EXPECT_EQ(folder.mode, kTypeDirectory | 02750U);
  EXPECT_EQ(folder.gid, 50U);
}

TEST(Inherit, ASymlinkTakesTheGroupAlone) {
  const auto value = encode_access_list(large_list(6, 5, 7, 4));
  const auto made = view::inherit(kSetGroupParent, value, kTypeSymlink | 02600, kSomebody);
  EXPECT_EQ(made.mode, kTypeSymlink | 0777U);
  EXPECT_EQ(made.gid, 50U);
  EXPECT_FALSE(made.access_list);
  EXPECT_FALSE(made.default_list);
}

TEST(Inherit, ABrokenDefaultListCountsAsNone) {
  const auto whole = encode_access_list(large_list(6, 5, 7, 4));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const auto made = view::inherit(kParent, cut, kTypeDirectory | 0777, kSomebody);
    EXPECT_EQ(made.mode, kTypeDirectory | 0750U) << length;
    EXPECT_FALSE(made.access_list) << length;
    EXPECT_FALSE(made.default_list) << length;
  }
}

TEST(Chmod, KeepsTheTypeAndTakesTwelveBits) {
  const auto changed = view::chmod(kTypeRegular | 0644, kTypeDirectory | 07123, std::nullopt);
  EXPECT_EQ(changed.mode, kTypeRegular | 07123U);
  EXPECT_FALSE(changed.access_list);
}

TEST(Chmod, TheGroupBitsAreTheMask) {
  const auto value = encode_access_list(large_list(6, 5, 7, 4));
  const auto changed = view::chmod(kTypeRegular | 0674, 0712, value);
  EXPECT_EQ(changed.mode, kTypeRegular | 0712U);
  EXPECT_EQ(changed.access_list, encode_access_list(large_list(7, 5, 1, 2)));
}

TEST(Chmod, AListThatSaysNoMoreThanTheModeGoes) {
  const auto changed =
      view::chmod(kTypeRegular | 0674, 0712, encode_access_list(small_list(6, 5, 4)));
  EXPECT_EQ(changed.access_list, Buffer());
}

TEST(Chmod, ABrokenListStays) {
  EXPECT_FALSE(view::chmod(kTypeRegular | 0674, 0712, Buffer{1, 2, 3}).access_list);
  auto without_others = large_list(6, 5, 7, 4);
  without_others.pop_back();
  const auto value = encode_access_list(without_others);
  EXPECT_FALSE(view::chmod(kTypeRegular | 0674, 0712, value).access_list);
}

TEST(SetIds, GoWithTheOwner) {
  EXPECT_EQ(view::chown_mode(kTypeRegular | 07755), kTypeRegular | 01755U);
  EXPECT_EQ(view::chown_mode(kTypeRegular | 07745), kTypeRegular | 03745U);
  EXPECT_EQ(view::chown_mode(kTypeFifo | 06711), kTypeFifo | 0711U);
  EXPECT_EQ(view::chown_mode(kTypeDirectory | 06755), kTypeDirectory | 06755U);
}

TEST(SetIds, GoWithAWrite) {
  EXPECT_EQ(view::written_mode(kTypeRegular | 07755), kTypeRegular | 01755U);
  EXPECT_EQ(view::written_mode(kTypeRegular | 02745), kTypeRegular | 02745U);
  EXPECT_EQ(view::written_mode(kTypeFifo | 06711), kTypeFifo | 06711U);
}

TEST(SetAccessList, ASymlinkHasNone) {
  const auto value = encode_access_list(small_list(6, 5, 4));
  const auto access = view::set_access_list(kTypeSymlink | 0777, value);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().kind(), ErrorKind::kUnsupported);
  const auto by_default = view::set_default_list(kTypeSymlink | 0777, {});
  ASSERT_FALSE(by_default);
  EXPECT_EQ(by_default.error().kind(), ErrorKind::kUnsupported);
}

TEST(SetAccessList, AValueThatIsNoneIsToldBeforeTheObject) {
  const Buffer garbage{1, 2, 3};
  for (const std::uint32_t mode : {kTypeSymlink, kTypeRegular, kTypeDirectory}) {
    EXPECT_EQ(view::set_access_list(mode, garbage).error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(view::set_default_list(mode, garbage).error().kind(), ErrorKind::kInvalidArgument);
  }
  const auto without_owner = encode_access_list(AccessList{small_list(6, 5, 4).back()});
  EXPECT_EQ(view::set_default_list(kTypeRegular, without_owner).error().kind(),
            ErrorKind::kPermission);
}

TEST(SetAccessList, AnotherVersionIsNotKnown) {
  auto value = encode_access_list(small_list(6, 5, 4));
  value[0] = 3;
  EXPECT_EQ(view::set_access_list(kTypeRegular, value).error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(view::set_default_list(kTypeDirectory, value).error().kind(), ErrorKind::kUnsupported);
}

ErrorKind refused(std::string_view name) {
  const auto checked = view::check_xattr_name(name);
  EXPECT_FALSE(checked) << name;
  return checked ? ErrorKind::kIo : checked.error().kind();
}

TEST(XattrName, IsTakenWithAPrefixAndSomethingBehindIt) {
  for (const auto* name : {"user.a", "trusted.a.b", "security.capability", "user..",
                           "system.posix_acl_access", "system.posix_acl_default"}) {
    EXPECT_TRUE(view::check_xattr_name(name)) << name;
  }
  EXPECT_TRUE(view::check_xattr_name("user." + std::string(250, 'a')));
}

TEST(XattrName, IsRefusedAsLinuxDoes) {
  EXPECT_EQ(refused(""), ErrorKind::kOutOfRange);
  EXPECT_EQ(refused("user." + std::string(251, 'a')), ErrorKind::kOutOfRange);
  for (const auto* name : {"user.", "trusted.", "security."}) {
    EXPECT_EQ(refused(name), ErrorKind::kInvalidArgument) << name;
  }
  for (const auto* name : {"system.", "system.posix_acl_access.", "system.posix_acl_acces", "user",
                           "User.a", ".a", "btrfs.a", "usera"}) {
    EXPECT_EQ(refused(name), ErrorKind::kUnsupported) << name;
  }
  EXPECT_EQ(refused(std::string_view("user.a\0b", 8)), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace dgfs::test
