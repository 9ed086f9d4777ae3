// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/path_mounts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "storage/posix/avoiding_env.h"
#include "storage/posix/env.h"
#include "storage/posix/mount_identity.h"

namespace dgfs::storage {
namespace {

// /proc is a file system of its own, which every test can look at.
class PathMounts : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/dgfs-path-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    place_ = name;
    std::filesystem::create_directory(place_ / "dir");
    link("/proc", "to-proc");
    link("to-proc/self", "dir/chain");
    link("../to-proc", "dir/up");
    link("loop", "loop");
    link("dir", "to-dir");
    link("absent", "dangling");
    const auto proc = mount_of("/proc");
    ASSERT_TRUE(proc);
    proc_ = proc.value().device;
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, place_ / name);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (place_ / name).string(); }

  std::filesystem::path place_;
  std::uint64_t proc_ = 0;
};

TEST_F(PathMounts, APathIsFollowedToWhereItEntersTheFileSystem) {
  for (const std::string name : {"/proc", "/proc/", "/proc/self/status", "/proc/absent",
                                 "/./proc//self", "/tmp/../proc/1", "/proc/../tmp"}) {
    EXPECT_TRUE(leads_into(name, proc_)) << name;
  }
  for (const std::string name : {"to-proc", "to-proc/version", "dir/up", "to-proc/../etc",
                                 "to-dir/up/version", "dir/../dir/up"}) {
    EXPECT_TRUE(leads_into(path(name), proc_)) << name;
  }
}

TEST_F(PathMounts, OtherPathsDoNotLeadThere) {
  for (const std::string name : {"", "dir", "dir/absent", "absent/to-proc", "loop", "loop/x",
                                 "dangling", "to-dir", "dir/.."}) {
    EXPECT_FALSE(leads_into(path(name), proc_)) << name;
  }
  for (const std::string name : {"/", "", ".", "absent"}) {
    EXPECT_FALSE(leads_into(name, proc_)) << name;
  }
}

TEST_F(PathMounts, AnEnvOpensNothingInWhatItAvoids) {
  const auto base = make_posix_env();
  AvoidingEnv env(*base);
  const auto status = path("to-proc/self/status");
  const auto file = path("file");
  EXPECT_TRUE(env.open(status));
  env.avoid(proc_);
  for (const auto& refused :
       {env.open(status).error(), env.status(status).error(), env.open_directory("/proc").error(),
        env.create_unnamed(path("dir/up")).error(), env.make_directory(status, 0777).error(),
        env.rename(path("dir"), status).error(), env.rename(status, path("dir")).error(),
        env.remove(status).error(), env.sync_directory("/proc").error()}) {
    EXPECT_EQ(refused.code(), 1267);
  }
  EXPECT_TRUE(env.open(file, {.mode = OpenOptions::Mode::kCreateNew}));
  EXPECT_TRUE(env.open(path("to-dir/../file")));
  EXPECT_TRUE(env.open_directory(path("to-dir")));
  EXPECT_TRUE(env.rename(file, path("dir/file")));
}

TEST(MountIdentity, IsTheSameInAllOfAMount) {
  const auto proc = mount_of("/proc");
  ASSERT_TRUE(proc);
  EXPECT_EQ(proc.value(), mount_of("/proc/self/fdinfo").value());
  EXPECT_NE(proc.value(), mount_of("/").value());
  EXPECT_EQ(mount_of("/absent").error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace dgfs::storage
