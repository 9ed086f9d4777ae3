// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/mount_helper.h"

#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "tests/tools/tool_run.h"

namespace dgfs::tools {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kNobody = 65534;

// Returns the arguments for `dgfs` as one text, or the error's text.
std::string translated(const Arguments& arguments, std::uint32_t user_id = kNobody) {
  const auto result = mount_helper_arguments(arguments, user_id);
  if (!result) return result.error().text();
  std::string text;
  for (const auto& argument : result.value()) text += (text.empty() ? "" : " ") + argument;
  return text;
}

TEST(MountHelper, IsKnownByItsName) {
  for (const char* name : {"mount.dgfs", "/sbin/mount.dgfs", "/usr/sbin/mount.fuse.dgfs"}) {
    EXPECT_TRUE(is_mount_helper(name, {}));
  }
  for (const char* name : {"dgfs", "/usr/bin/dgfs", "", "mount.dgfs.old", "/mount.dgfs/dgfs"}) {
    EXPECT_FALSE(is_mount_helper(name, {"mount", "/a", "/b"}));
    EXPECT_TRUE(is_mount_helper(name, {"/a.dgfs", "/b", "-o", "dev,suid"})) << "mount.fuse(8)";
  }
}

TEST(MountHelper, MountPassesRwUnasked) {
  EXPECT_EQ(translated({"/a", "/b", "-o", "rw"}), "mount -o nosuid,nodev -- /a /b");
  EXPECT_EQ(translated({"/a", "/b", "-o", "noexec,rw,index=/x"}),
            "mount -o noexec,index=/x,nosuid,nodev -- /a /b");
  EXPECT_EQ(translated({"/a", "/b"}), "mount -o nosuid,nodev -- /a /b");
}

TEST(MountHelper, RootMayWantSetUserIdProgramsAndDevices) {
  EXPECT_EQ(translated({"/a", "/b", "-o", "rw"}, kRoot), "mount -o suid,dev -- /a /b");
  EXPECT_EQ(translated({"/a", "/b", "-o", "rw,nosuid"}, kRoot), "mount -o nosuid,dev -- /a /b");
  EXPECT_EQ(translated({"/a", "/b", "-o", "rw,nosuid,nodev,suid"}, kRoot),
            "mount -o suid,nodev -- /a /b");
  EXPECT_EQ(translated({"/a", "/b", "-o", "suid,nosuid"}, kRoot), "mount -o nosuid,dev -- /a /b");
  EXPECT_EQ(translated({"/a", "/b", "-o", "suid,dev"}), "mount -o nosuid,nodev -- /a /b");
}

TEST(MountHelper, ARemountKeepsRwAndTellsThatItMayBeUnasked) {
  EXPECT_EQ(translated({"/a", "/b", "-o", "remount,noexec,rw"}),
            "mount -o remount,noexec,rw,x-dgfs.by-mount -- /a /b");
}

TEST(MountHelper, Flags) {
  EXPECT_EQ(translated({"/a", "/b", "-sfnv", "-t", "fuse.dgfs"}),
            "mount --dry-run -o sloppy -o nosuid,nodev -- /a /b");
  EXPECT_EQ(translated({"-n", "/a", "-v", "/b", "-oro", "-o", "noexec"}),
            "mount -o ro,noexec,nosuid,nodev -- /a /b");
}

TEST(MountHelper, WrongCalls) {
  for (const Arguments& arguments : std::vector<Arguments>{{},
                                                           {"/a"},
                                                           {"/a", "/b", "/c"},
                                                           {"/a", "/b", "-o"},
                                                           {"/a", "/b", "-x"},
                                                           {"/a", "/b", "-N", "/proc/1/ns/mnt"}}) {
    EXPECT_NE(translated(arguments).find("usage: mount.dgfs"), std::string::npos);
  }
}

TEST(MountHelper, ExitCodesAreThoseOfMount) {
  const auto env = storage::make_memory_env(1);
  test::ToolRun run(*env);
  EXPECT_EQ(mount_helper_main({"/a"}, run.io()), 1);
  EXPECT_NE(run.err().find("mount.dgfs: "), std::string::npos);
  EXPECT_EQ(mount_helper_main({"/absent", "/b", "-o", "rw"}, run.io()), 32);
}

}  // namespace
}  // namespace dgfs::tools
