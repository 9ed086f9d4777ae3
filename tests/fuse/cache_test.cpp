// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The kernel must not ask twice for the same thing. The test counts requests in the server.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

using fuse::Request;

class FuseCache : public testing::Test {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    source_.directory("dir");
    for (int i = 0; i < 500; ++i) {
      source_.file("dir/" + std::to_string(i), noise(3000, static_cast<std::uint64_t>(i)));
    }
    source_.symlink("link", "dir/1");
    source_.file("large", noise(1 << 20, 1));
    mounted_ = std::make_unique<MountedImage>(source_);
  }

  // Requests during `work` for which a process waited. Without statfs, which find and du call once
  // each and no kernel caches, and without xattrs, which are counted separately.
  template <class Work>
  std::uint64_t requests_of(Work work) {
    const auto before = cacheable_requests();
    work();
    return cacheable_requests() - before;
  }
  std::uint64_t cacheable_requests() const {
    const auto& counters = mounted_->counters();
    return counters.answered() - counters.of(Request::kFileSystemStatus) - xattr_requests();
  }
  std::uint64_t xattr_requests() const {
    return mounted_->counters().of(Request::kGetXattr) +
           mounted_->counters().of(Request::kListXattrs);
  }
  void run(const std::string& command) const {
    ASSERT_EQ(std::system((command + " " + mounted_->path() + " > /dev/null").c_str()), 0);
  }

  ScratchTree source_;
  std::unique_ptr<MountedImage> mounted_;
};

// Four times the kernel's default if the server may set it; otherwise the default, and the mount
// works.
TEST_F(FuseCache, LargeFilesAreReadFarAhead) {
  struct stat status {};
  ASSERT_EQ(::stat(mounted_->path("large").c_str(), &status), 0);
  const auto setting = "/sys/class/bdi/" + std::to_string(major(status.st_dev)) + ":" +
                       std::to_string(minor(status.st_dev)) + "/read_ahead_kb";
  EXPECT_EQ(slurp(setting), ::getuid() == 0 ? "512\n" : "128\n");
}

TEST_F(FuseCache, WarmOpenReadCloseAsksNothing) {
  for (const char* name : {"dir/7", "large", "link"}) {
    SCOPED_TRACE(name);
    const auto path = mounted_->path(name);
    EXPECT_GT(requests_of([&] { EXPECT_FALSE(slurp(path).empty()); }), 0u);
    EXPECT_EQ(requests_of([&] { EXPECT_FALSE(slurp(path).empty()); }), 0u);
  }
}

TEST_F(FuseCache, ASmallFileCostsOneRead) {
  (void)slurp(mounted_->path("dir/1"));  // the kernel learns how files are opened
  EXPECT_EQ(requests_of([&] { (void)slurp(mounted_->path("dir/3")); }), 2u);  // LOOKUP and READ
}

TEST_F(FuseCache, OpensAreAskedOnce) {
  for (int i = 0; i < 50; ++i) (void)slurp(mounted_->path("dir/" + std::to_string(i)));
  run("find");
  EXPECT_EQ(mounted_->counters().of(Request::kOpen), 1u);
  EXPECT_EQ(mounted_->counters().of(Request::kOpenDirectory), 1u);
}

TEST_F(FuseCache, WarmListingsAskNothing) {
  for (const char* command : {"ls -l", "ls -lR", "find", "find -ls", "du -a"}) {
    SCOPED_TRACE(command);
    // GNU find wants its starting points before its tests.
    const std::string text = command;
    const auto space = text.find(' ');
    const auto shell =
        text.starts_with("find ") ? "sh -c 'find \"$1\" " + text.substr(space + 1) + "' sh" : text;
    run(shell);
    EXPECT_EQ(requests_of([&] { run(shell); }), 0u);
  }
}

TEST_F(FuseCache, AColdLongListingNeedsNoRequestPerName) {
  const auto requests = requests_of([&] { run("ls -lR"); });
  EXPECT_LT(requests, 60u) << "requests for 500 files";
}

TEST_F(FuseCache, AColdWalkLooksNothingUp) {
  run("sh -c 'find \"$1\" -ls' sh");
  EXPECT_EQ(mounted_->counters().of(Request::kLookup), 0u);
}

TEST_F(FuseCache, AbsenceIsRemembered) {
  const auto path = mounted_->path("dir/absent");
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  EXPECT_EQ(requests_of([&] { EXPECT_NE(::access(path.c_str(), F_OK), 0); }), 0u);
}

TEST_F(FuseCache, LinkTargetsAreRemembered) {
  char buffer[100];
  const auto path = mounted_->path("link");
  EXPECT_EQ(::readlink(path.c_str(), buffer, sizeof buffer), 5);
  EXPECT_EQ(requests_of([&] { EXPECT_EQ(::readlink(path.c_str(), buffer, sizeof buffer), 5); }),
            0u);
}

TEST_F(FuseCache, WithoutXattrsTheirListsAreAskedForOnce) {
  char buffer[100];
  const auto path = mounted_->path("large");
  for (int i = 0; i < 5; ++i) EXPECT_LE(::listxattr(path.c_str(), buffer, sizeof buffer), 0);
  EXPECT_EQ(mounted_->counters().of(Request::kListXattrs), 1u);
}

// The statistics are an xattr, so the kernel must keep asking; but readers of files ask for no
// xattr.
TEST_F(FuseCache, OnlyWhoAsksForAnXattrPaysForIt) {
  char buffer[100];
  const auto path = mounted_->path("large");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(::getxattr(path.c_str(), "user.x", buffer, sizeof buffer), -1);
    EXPECT_EQ(errno, EOPNOTSUPP);
  }
  EXPECT_EQ(mounted_->counters().of(Request::kGetXattr), 5u);
  for (const char* name : {"dir/7", "large", "link"}) (void)slurp(mounted_->path(name));
  run("find");
  run("du -a");
  run("tar -cf -");
  EXPECT_EQ(mounted_->counters().of(Request::kGetXattr), 5u);
}

// ls looks for access control lists, and stops after it learns that there are none.
TEST_F(FuseCache, ALongListingAsksForXattrsOnce) {
  const auto before = xattr_requests();
  run("ls -lR --color=always");
  EXPECT_LE(xattr_requests() - before, 3u) << "xattr requests for 500 files";
}

}  // namespace
}  // namespace dgfs::test
