// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Permissions in place of an access control list.
#include "fuse/image/overridden_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace dgfs::fuse {
namespace {

struct Entry {
  std::uint8_t tag;
  std::uint8_t permissions;
};
constexpr std::uint8_t kOwner = 1;
constexpr std::uint8_t kUser = 2;
constexpr std::uint8_t kOwningGroup = 4;
constexpr std::uint8_t kGroup = 8;
constexpr std::uint8_t kMask = 16;
constexpr std::uint8_t kOther = 32;

Buffer list_of(const std::vector<Entry>& entries) {
  Buffer list = {2, 0, 0, 0};
  for (const auto& [tag, permissions] : entries) {
    list.insert(list.end(), {tag, 0, permissions, 0, 0, 0, 0, 0});
  }
  return list;
}

std::uint32_t mode_of(std::uint32_t mode, const std::vector<Entry>& named) {
  std::vector<Entry> entries = {{kOwner, 7}, {kOther, static_cast<std::uint8_t>(mode & 7)}};
  entries.insert(entries.end(), named.begin(), named.end());
  return mode_without_list(mode, list_of(entries));
}

TEST(OverriddenList, TheGroupsBitsAreItsOwnNotTheMasks) {
  EXPECT_EQ(mode_of(0100674, {{kUser, 6}, {kOwningGroup, 4}, {kMask, 7}}), 0100644u);
  EXPECT_EQ(mode_of(0100670, {{kUser, 6}, {kOwningGroup, 0}, {kMask, 7}}), 0100600u);
  EXPECT_EQ(mode_of(0100640, {{kGroup, 7}, {kOwningGroup, 7}, {kMask, 4}}), 0100640u);
  EXPECT_EQ(mode_of(0102755, {{kOwningGroup, 5}}), 0102755u)
      << "the list names no other user or group";
}

TEST(OverriddenList, WhatItKeepsFromAnybodyNobodyGets) {
  EXPECT_EQ(mode_of(0100645, {{kUser, 0}, {kOwningGroup, 4}, {kMask, 4}}), 0100600u);
  EXPECT_EQ(mode_of(0100645, {{kUser, 4}, {kUser, 5}, {kOwningGroup, 4}, {kMask, 4}}), 0100644u);
  EXPECT_EQ(mode_of(0100645, {{kGroup, 1}, {kOwningGroup, 4}, {kMask, 7}}), 0100641u);
  // The mask limits named users and groups, too.
  EXPECT_EQ(mode_of(0100617, {{kUser, 7}, {kOwningGroup, 7}, {kMask, 1}}), 0100611u);
}

TEST(OverriddenList, OfAMalformedOneTheOwnerIsLeft) {
  auto list = list_of({{kOwningGroup, 7}, {kMask, 7}});
  EXPECT_EQ(mode_without_list(0100777, list), 0100777u);
  list.push_back(0);
  EXPECT_EQ(mode_without_list(0100777, list), 0100700u);
  EXPECT_EQ(mode_without_list(0100777, {}), 0100700u);
  list.pop_back();
  list[0] = 3;
  EXPECT_EQ(mode_without_list(0100777, list), 0100700u);
}

}  // namespace
}  // namespace dgfs::fuse
