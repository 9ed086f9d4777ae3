// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The start and the end of a mount.
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <csignal>

#include "storage/posix/env.h"
#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

TEST(FuseLifetime, UnmountEndsTheServerWell) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("file", "x");
  MountedImage mounted(source);
  EXPECT_EQ(slurp(mounted.path("file")), "x");
  EXPECT_EQ(mounted.unmount(), 0);
  EXPECT_FALSE(mounted.is_mounted());
}

TEST(FuseLifetime, SignalsUnmount) {
  DGFS_NEEDS_FUSE();
  // nohup makes its children ignore SIGHUP, and a mount would keep that.
  std::signal(SIGHUP, SIG_DFL);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    ScratchTree source;
    source.file("file", "x");
    MountedImage mounted(source);
    EXPECT_EQ(slurp(mounted.path("file")), "x");
    EXPECT_EQ(mounted.end_by(signal), 0) << signal;
    EXPECT_FALSE(mounted.is_mounted()) << signal;
  }
}

TEST(FuseLifetime, ADaemonIsUsableWhenTheCommandReturns) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("file", "x");
  MountedImage mounted(source, {.mount_options = {}, .daemon = true});
  EXPECT_EQ(slurp(mounted.path("file")), "x");
  EXPECT_EQ(mounted.unmount(), 0);
  EXPECT_FALSE(mounted.is_mounted());
}

TEST(FuseLifetime, TheMountTableShowsTheImage) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  MountedImage mounted(source, {.mount_options = {"noexec", "dev"}});
  const auto table = slurp("/proc/self/mounts");
  const auto at = table.find(mounted.image_path() + " " + mounted.path() + " fuse.dgfs ro,");
  ASSERT_NE(at, std::string::npos) << table;
  const auto line = table.substr(at, table.find('\n', at) - at);
  EXPECT_NE(line.find("nosuid"), std::string::npos) << line;
  EXPECT_EQ(line.find("nodev"), std::string::npos) << line;
  EXPECT_NE(line.find("noexec"), std::string::npos) << line;
  EXPECT_NE(line.find("default_permissions"), std::string::npos) << line;
}

TEST(FuseLifetime, FsnameMayHaveCommas) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  MountedImage mounted(source, {.mount_options = {"fsname=a,b\\c"}});
  EXPECT_NE(slurp("/proc/self/mounts").find("a,b\\134c " + mounted.path()), std::string::npos);
}

TEST(FuseLifetime, ReadsKeepToMaxRead) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const auto content = noise(1 << 20, 5);
  source.file("file", content);
  MountedImage mounted(source, {.mount_options = {"max_read=16384"}});
  EXPECT_TRUE(slurp(mounted.path("file")) == content);
  EXPECT_GE(mounted.counters().of(fuse::Request::kRead), (1u << 20) / 16384);
}

// A mount that is refused must be refused before it forks or mounts.
class FuseRefusal : public testing::Test {
 protected:
  Error refusal(const fuse::MountOptions& options) {
    const auto env = storage::make_posix_env();
    auto log =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
    const auto status = fuse::mount(*env, options, std::move(log));
    return status ? Error() : status.error();
  }
};

TEST_F(FuseRefusal, NamesWhatIsWrong) {
  ScratchTree source;
  ScratchTree place;
  source.file("file", "x");
  place.directory("mount");
  place.file("garbage", noise(100'000, 1));
  build_image(source, place.path("image.dgfs"));
  fuse::MountOptions options;
  options.image_path = place.path("image.dgfs");
  options.mount_point = place.path("mount");

  auto no_mount_point = options;
  no_mount_point.mount_point = place.path("absent");
  EXPECT_EQ(refusal(no_mount_point).kind(), ErrorKind::kNotFound);
  no_mount_point.mount_point = place.path("garbage");
  EXPECT_EQ(refusal(no_mount_point).kind(), ErrorKind::kNotDirectory);

  auto unknown_option = options;
  unknown_option.options = {"nodev", "colour=red"};
  EXPECT_EQ(refusal(unknown_option).kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(refusal(unknown_option).message().find("colour"), std::string::npos);

  auto no_image = options;
  no_image.image_path = place.path("absent.dgfs");
  EXPECT_EQ(refusal(no_image).kind(), ErrorKind::kNotFound);
  no_image.image_path = place.path("garbage");
  EXPECT_NE(refusal(no_image).code(), 0);
}

}  // namespace
}  // namespace dgfs::test
