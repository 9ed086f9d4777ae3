// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/umount_helper.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

TEST(UmountHelper, IsKnownByItsName) {
  EXPECT_TRUE(is_umount_helper("umount.dgfs"));
  EXPECT_TRUE(is_umount_helper("/sbin/umount.fuse.dgfs"));
  EXPECT_FALSE(is_umount_helper("/sbin/mount.dgfs"));
  EXPECT_FALSE(is_umount_helper("/usr/bin/dgfs"));
}

TEST(UmountHelper, TakesTheFlagsOfUmount) {
  const auto plain = umount_call({"/mnt", "-n", "-v", "-t", "fuse.dgfs"});
  ASSERT_TRUE(plain) << plain.error().message();
  EXPECT_EQ(plain.value().mount_point, "/mnt");
  EXPECT_FALSE(plain.value().is_lazy || plain.value().is_forced || plain.value().remounts);
  const auto all = umount_call({"-flr", "/mnt", "-tdgfs"});
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_TRUE(all.value().is_lazy && all.value().is_forced && all.value().remounts);
}

TEST(UmountHelper, RefusesWhatItDoesNotKnow) {
  for (const Arguments& wrong :
       {Arguments{}, {"-n"}, {"/a", "/b"}, {"/a", "-x"}, {"/a", "-t"}, {"/a", "-N", "1"}}) {
    const auto call = umount_call(wrong);
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_NE(call.error().text().find("usage: umount.dgfs"), std::string::npos);
  }
}

}  // namespace
}  // namespace dgfs::tools
