// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The answers of stat, readlink and statfs through a mount.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

void expect_same_attributes(const struct stat& got, const struct stat& want) {
  EXPECT_EQ(got.st_mode, want.st_mode);
  EXPECT_EQ(got.st_uid, want.st_uid);
  EXPECT_EQ(got.st_gid, want.st_gid);
  EXPECT_EQ(got.st_nlink, want.st_nlink);
  EXPECT_EQ(got.st_rdev, want.st_rdev);
  EXPECT_EQ(got.st_mtim.tv_sec, want.st_mtim.tv_sec);
  EXPECT_EQ(got.st_mtim.tv_nsec, want.st_mtim.tv_nsec);
  if (!S_ISDIR(want.st_mode)) {
    EXPECT_EQ(got.st_size, want.st_size);
  }
}

TEST(FuseMetadata, StatIsThatOfTheSource) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("dir", 01777);
  source.directory("dir/sub", 0700);
  source.file("plain", "some text", 04755);
  source.file("empty", "", 0);
  source.file("foreign", "x", 0640);
  source.owner("foreign", 4'000'000'000, 12345);
  source.symlink("link", "dir/sub");
  source.node("fifo", S_IFIFO | 0600);
  source.node("socket", S_IFSOCK | 0666);
  source.node("block", S_IFBLK | 0660, makedev(259, 70000));
  source.node("character", S_IFCHR | 0660, makedev(5, 1));
  source.modified("plain", 1'700'000'000, 123'456'789);
  source.modified("empty", -12'345'678'901 / 10, 999'999'999);
  source.modified("link", 4'300'000'000, 1);
  source.modified("dir", 0, 0);
  MountedImage mounted(source);
  for (const char* name : {"", "dir", "dir/sub", "plain", "empty", "foreign", "link", "fifo",
                           "socket", "block", "character"}) {
    SCOPED_TRACE(name);
    expect_same_attributes(lstat_of(mounted.path(name)), lstat_of(source.path(name)));
  }
}

TEST(FuseMetadata, RootIsInodeOne) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  MountedImage mounted(source);
  EXPECT_EQ(lstat_of(mounted.path()).st_ino, 1u);
}

TEST(FuseMetadata, BlocksCountDataAndNotHoles) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("dense", noise(70'001, 1));
  source.file("sparse", "");
  source.write_at("sparse", noise(4096, 2), 10 << 20);
  source.directory("dir");
  MountedImage mounted(source);
  EXPECT_EQ(lstat_of(mounted.path("dense")).st_blocks, 137);  // 70,001 in units of 512
  EXPECT_EQ(lstat_of(mounted.path("sparse")).st_blocks, 8);
  EXPECT_EQ(lstat_of(mounted.path("sparse")).st_size, (10 << 20) + 4096);
  EXPECT_EQ(lstat_of(mounted.path("dir")).st_blocks, 0);
}

TEST(FuseMetadata, NamesOfOneObjectShareItsInode) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("a");
  source.directory("b");
  source.file("a/first", "shared");
  source.hard_link("b/second", "a/first");
  source.hard_link("third", "a/first");
  source.file("other", "shared");
  MountedImage mounted(source);
  const auto first = lstat_of(mounted.path("a/first"));
  EXPECT_EQ(first.st_nlink, 3u);
  EXPECT_EQ(lstat_of(mounted.path("b/second")).st_ino, first.st_ino);
  EXPECT_EQ(lstat_of(mounted.path("third")).st_ino, first.st_ino);
  EXPECT_NE(lstat_of(mounted.path("other")).st_ino, first.st_ino);
  EXPECT_EQ(slurp(mounted.path("third")), "shared");
}

TEST(FuseMetadata, LinksHaveTheirTargets) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const std::string long_target(4000, 't');
  source.file("file", "through");
  source.symlink("short", "file");
  source.symlink("long", long_target);
  MountedImage mounted(source);
  char buffer[5000];
  auto length = ::readlink(mounted.path("long").c_str(), buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(std::max<ssize_t>(length, 0))),
            long_target);
  EXPECT_EQ(slurp(mounted.path("short")), "through");
}

TEST(FuseMetadata, AbsentAndImpossibleNames) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("file", "x");
  MountedImage mounted(source);
  const auto failure = [&](const std::string& name) {
    struct stat ignored {};
    return ::lstat(mounted.path(name).c_str(), &ignored) == 0 ? 0 : errno;
  };
  EXPECT_EQ(failure("absent"), ENOENT);
  EXPECT_EQ(failure("absent/below"), ENOENT);
  EXPECT_EQ(failure("file/below"), ENOTDIR);
  EXPECT_EQ(failure(std::string(255, 'n')), ENOENT);
  EXPECT_EQ(failure(std::string(256, 'n')), ENAMETOOLONG);
}

TEST(FuseMetadata, StatfsTellsRealTotals) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  for (int i = 0; i < 10; ++i) source.file("f" + std::to_string(i), noise(100'000, 7));
  MountedImage mounted(source);
  struct statvfs totals {};
  ASSERT_EQ(::statvfs(mounted.path().c_str(), &totals), 0);
  const auto bytes = totals.f_blocks * totals.f_frsize;
  const auto image_bytes = static_cast<std::uint64_t>(lstat_of(mounted.image_path()).st_size);
  EXPECT_GT(bytes, image_bytes / 10 * 9);
  EXPECT_LT(bytes, image_bytes / 10 * 11);
  EXPECT_EQ(totals.f_bfree, 0u);
  EXPECT_EQ(totals.f_bavail, 0u);
  EXPECT_EQ(totals.f_files, 11u);
  EXPECT_EQ(totals.f_ffree, 0u);
  EXPECT_EQ(totals.f_namemax, 255u);
  EXPECT_NE(totals.f_flag & ST_RDONLY, 0u);
}

TEST(FuseMetadata, PermissionsAreChecked) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.open_to_all();
  source.file("secret", "x", 0600);
  source.file("public", "x", 0644);
  MountedImage mounted(source, {.mount_options = {"allow_other"}});
  ASSERT_EQ(::seteuid(65534), 0);
  const int secret = ::open(mounted.path("secret").c_str(), O_RDONLY);
  const int refusal = errno;
  const int open = ::open(mounted.path("public").c_str(), O_RDONLY);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(secret, -1);
  EXPECT_EQ(refusal, EACCES);
  EXPECT_GE(open, 0);
  if (open >= 0) ::close(open);
}

}  // namespace
}  // namespace dgfs::test
