// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/kernel_read_ahead.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using fuse::mounted_device;

constexpr const char* kTable =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    "40 22 0:35 / /mnt/a rw - fuse.dgfs a.dgfs ro\n"
    "41 22 0:36 / /mnt/a\\040b\\134c rw - fuse.dgfs b.dgfs ro\n"
    "42 40 0:37 / /mnt/a rw - fuse.dgfs c.dgfs ro\n"
    "43 22 0:38 / /mnt/z\\04 rw - tmpfs tmpfs rw\n";

TEST(MountedDevice, IsThatOfTheLastMount) {
  EXPECT_EQ(mounted_device(kTable, "/"), "254:0");
  EXPECT_EQ(mounted_device(kTable, "/mnt/a"), "0:37");
}

TEST(MountedDevice, NamesAreUnescaped) {
  EXPECT_EQ(mounted_device(kTable, "/mnt/a b\\c"), "0:36");
  EXPECT_EQ(mounted_device(kTable, "/mnt/z\\04"), "0:38") << "no escape";
}

TEST(MountedDevice, OthersHaveNone) {
  EXPECT_FALSE(mounted_device(kTable, "/mnt"));
  EXPECT_FALSE(mounted_device(kTable, "/mnt/a/"));
  EXPECT_FALSE(mounted_device("", "/mnt"));
  EXPECT_FALSE(mounted_device("\n\n1 2 3\n", "/mnt"));
}

}  // namespace
}  // namespace dgfs::test
