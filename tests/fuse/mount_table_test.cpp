// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount_table.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using fuse::find_mount;

std::string device_at(std::string_view table, std::string_view point) {
  const auto found = find_mount(table, point);
  return found ? found->device : "none";
}

constexpr const char* kTable =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    "40 22 0:35 / /mnt/a rw - fuse.dgfs a.dgfs ro\n"
    "41 22 0:36 / /mnt/a\\040b\\134c rw - fuse.dgfs b.dgfs ro\n"
    "42 40 0:37 / /mnt/a rw - fuse.dgfs c.dgfs ro\n"
    "43 22 0:38 / /mnt/z\\04 rw - tmpfs tmpfs rw\n";

TEST(MountTable, TheLastMountCounts) {
  EXPECT_EQ(device_at(kTable, "/"), "254:0");
  EXPECT_EQ(device_at(kTable, "/mnt/a"), "0:37");
}

TEST(MountTable, NamesAreUnescaped) {
  EXPECT_EQ(device_at(kTable, "/mnt/a b\\c"), "0:36");
  EXPECT_EQ(device_at(kTable, "/mnt/z\\04"), "0:38") << "an incomplete escape stays as it is";
}

TEST(MountTable, AMountBelowAnotherOneIsFound) {
  EXPECT_EQ(find_mount(kTable, "/mnt/a")->number, "42");
  EXPECT_EQ(fuse::find_mount_below(kTable, "22"), "/mnt/a");
  EXPECT_EQ(fuse::find_mount_below(kTable, "40"), "/mnt/a") << "one mount lies on the other";
  EXPECT_EQ(fuse::find_mount_below("1 2 3 / /mnt/a/b\\040c rw - tmpfs t rw\n", "2"), "/mnt/a/b c");
  EXPECT_FALSE(fuse::find_mount_below(kTable, "42"));
  EXPECT_FALSE(fuse::find_mount_below(kTable, "4"));
  EXPECT_FALSE(fuse::find_mount_below("\n1\n", ""));
}

TEST(MountTable, OthersHaveNone) {
  EXPECT_FALSE(find_mount(kTable, "/mnt"));
  EXPECT_FALSE(find_mount(kTable, "/mnt/a/"));
  EXPECT_FALSE(find_mount("", "/mnt"));
  EXPECT_FALSE(find_mount("\n\n1 2 3\n", "/mnt"));
}

TEST(MountTable, OptionsAndTypeStandBehindAnyNumberOfFurtherFields) {
  const auto root = find_mount(kTable, "/");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->options, "rw,relatime");
  EXPECT_EQ(root->type, "ext4");
  EXPECT_EQ(root->super_options, "rw");
  const auto mount = find_mount(kTable, "/mnt/a");
  ASSERT_TRUE(mount);
  EXPECT_EQ(mount->type, "fuse.dgfs");
  EXPECT_EQ(mount->super_options, "ro");
}

}  // namespace
}  // namespace dgfs::test
