// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount_arguments.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dgfs::fuse {
namespace {

bool has(const MountArguments& arguments, const std::string& wanted) {
  return std::count(arguments.arguments.begin(), arguments.arguments.end(), wanted) != 0;
}

TEST(MountArguments, AlwaysReadOnlyAndChecked) {
  const auto arguments = mount_arguments({}, "/a/b.dgfs");
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(has(arguments.value(), "-oro"));
  EXPECT_TRUE(has(arguments.value(), "-odefault_permissions"));
  EXPECT_TRUE(has(arguments.value(), "-osubtype=dgfs"));
  EXPECT_TRUE(has(arguments.value(), "-ofsname=/a/b.dgfs"));
}

TEST(MountArguments, FlagsArePassedOn) {
  const std::vector<std::string> options = {"allow_other", "noexec", "dev", "suid"};
  const auto arguments = mount_arguments(options, "x");
  ASSERT_TRUE(arguments);
  for (const auto& option : options) EXPECT_TRUE(has(arguments.value(), "-o" + option));
}

TEST(MountArguments, WhatMountKeepsForItselfIsTaken) {
  const std::vector<std::string> options = {"rw", "defaults", "noauto",  "user",
                                            "",   "nofail",   "_netdev", "x-systemd.automount=1"};
  const auto plain = mount_arguments({}, "x");
  const auto arguments = mount_arguments(options, "x");
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().arguments, plain.value().arguments);
}

TEST(MountArguments, ValuesReplaceDefaultsAndKeepCommas) {
  const auto arguments =
      mount_arguments(std::vector<std::string>{"fsname=a,b", "subtype=other"}, "x");
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(has(arguments.value(), "-ofsname=a\\,b"));
  EXPECT_TRUE(has(arguments.value(), "-osubtype=other"));
  EXPECT_FALSE(has(arguments.value(), "-ofsname=x"));
}

TEST(MountArguments, MaxReadGoesToBothSides) {
  const auto arguments = mount_arguments(std::vector<std::string>{"max_read=65536"}, "x");
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().max_read_bytes, 65536u);
  EXPECT_TRUE(has(arguments.value(), "-omax_read=65536"));
}

TEST(MountArguments, UnknownOnesAndBadValuesAreNamed) {
  for (const std::string option : {"colour", "colour=red", "max_read=x", "max_read=", "max_read=1",
                                   "max_read=99999999999", "allow_other=1", "uid=0"}) {
    const auto arguments = mount_arguments(std::vector<std::string>{option}, "x");
    ASSERT_FALSE(arguments) << option;
    EXPECT_EQ(arguments.error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_NE(arguments.error().text().find(option.substr(0, option.find('='))), std::string::npos);
  }
}

}  // namespace
}  // namespace dgfs::fuse
