// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes and access control lists.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/fuse/mounted_image.h"
#include "tests/support/skip.h"

namespace dgfs::test {
namespace {

std::set<std::string> names_of(const std::string& path) {
  char buffer[4096];
  const auto length = ::llistxattr(path.c_str(), buffer, sizeof buffer);
  std::set<std::string> names;
  for (const char* at = buffer; length > 0 && at < buffer + length;) {
    at += names.emplace(at).first->size() + 1;
  }
  return names;
}

TEST(FuseXattr, ValuesAndSizes) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const auto value = noise(1000, 1);
  source.file("file", "x");
  source.xattr("file", "user.noise", value);
  source.xattr("file", "user.empty", "");
  source.xattr("file", "trusted.secret", "s");
  source.file("plain", "x");
  source.directory("dir");
  source.xattr("dir", "user.on-directory", "d");
  MountedImage mounted(source);
  const auto path = mounted.path("file");
  char buffer[2000];
  EXPECT_EQ(::getxattr(path.c_str(), "user.noise", nullptr, 0), 1000);
  EXPECT_EQ(::getxattr(path.c_str(), "user.noise", buffer, 999), -1);
  EXPECT_EQ(errno, ERANGE);
  ASSERT_EQ(::getxattr(path.c_str(), "user.noise", buffer, sizeof buffer), 1000);
  EXPECT_EQ(std::string(buffer, 1000), value);
  EXPECT_EQ(::getxattr(path.c_str(), "user.empty", buffer, sizeof buffer), 0);
  EXPECT_EQ(::getxattr(path.c_str(), "user.absent", buffer, sizeof buffer), -1);
  EXPECT_EQ(errno, ENODATA);
  EXPECT_EQ(::getxattr(mounted.path("plain").c_str(), "user.noise", buffer, sizeof buffer), -1);
  EXPECT_EQ(errno, ENODATA);
  EXPECT_EQ(names_of(path), (std::set<std::string>{"trusted.secret", "user.empty", "user.noise"}));
  EXPECT_EQ(names_of(mounted.path("dir")), (std::set<std::string>{"user.on-directory"}));
  EXPECT_TRUE(names_of(mounted.path("plain")).empty());
  const auto list_bytes = ::llistxattr(path.c_str(), nullptr, 0);
  EXPECT_EQ(list_bytes, static_cast<ssize_t>(sizeof "trusted.secret" + sizeof "user.empty" +
                                             sizeof "user.noise"));
  EXPECT_EQ(::llistxattr(path.c_str(), buffer, static_cast<std::size_t>(list_bytes) - 1), -1);
  EXPECT_EQ(errno, ERANGE);
}

TEST(FuseXattr, OrdinaryUsersSeeNoTrustedNames) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.open_to_all();
  source.file("file", "x");
  source.xattr("file", "user.open", "1");
  source.xattr("file", "trusted.secret", "2");
  MountedImage mounted(source, {.mount_options = {"allow_other"}});
  ASSERT_EQ(::seteuid(65534), 0);
  const auto names = names_of(mounted.path("file"));
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(names, (std::set<std::string>{"user.open"}));
}

// The program got its capability from one owner. As with chown(2), another shown owner removes it.
TEST(FuseXattr, OverridesHideWhatOwnerAndPermissionsGave) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const std::string capability("\1\0\0\2\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
  source.file("program", "x", 0755);
  source.xattr("program", "security.capability", capability);
  source.xattr("program", "user.note", "n");
  const auto value_bytes = [](const MountedImage& mounted) {
    return ::getxattr(mounted.path("program").c_str(), "security.capability", nullptr, 0);
  };
  {
    const MountedImage mounted(source);
    EXPECT_EQ(value_bytes(mounted), static_cast<ssize_t>(capability.size()));
  }
  for (const auto* option : {"umask=022", "uid=0", "gid=0", "uid=1000"}) {
    const MountedImage mounted(source, {.mount_options = {option}});
    EXPECT_EQ(value_bytes(mounted), -1) << option;
    EXPECT_EQ(errno, ENODATA) << option;
    EXPECT_EQ(names_of(mounted.path("program")), (std::set<std::string>{"user.note"})) << option;
  }
}

TEST(FuseXattr, AccessControlListsHold) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.open_to_all();
  source.file("granted", "x", 0600);
  source.file("closed", "x", 0600);
  if (std::system(("setfacl -m u:65534:r " + source.path("granted") + " 2>/dev/null").c_str()) !=
      0) {
    DGFS_SKIP("setfacl is missing, or the file system has no ACLs");
  }
  MountedImage mounted(source, {.mount_options = {"allow_other"}});
  ASSERT_EQ(::seteuid(65534), 0);
  const int granted = ::open(mounted.path("granted").c_str(), O_RDONLY);
  const int closed = ::open(mounted.path("closed").c_str(), O_RDONLY);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_GE(granted, 0);
  EXPECT_EQ(closed, -1);
  if (granted >= 0) ::close(granted);
}

}  // namespace
}  // namespace dgfs::test
