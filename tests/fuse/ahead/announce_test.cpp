// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// When files are looked up in no order, the mount asks the device for each before it is read.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

using fuse::Request;

constexpr int kScatteredFiles = 200;

// The order is scattered, so that no file follows the one before.
std::string name_at(int i) { return std::to_string(1000 + i * 77 % kScatteredFiles); }
std::string content_at(int i) {
  const auto seed = static_cast<std::uint64_t>(i * 77 % kScatteredFiles);
  return noise(1 + seed * 997 % 150'000, seed);
}

class FuseAnnounce : public testing::Test {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    for (int i = 0; i < kScatteredFiles; ++i) source_.file(name_at(i), content_at(i));
    source_.file("empty", "");
  }

  ScratchTree source_;
};

TEST_F(FuseAnnounce, RandomReadsAreForetold) {
  MountedImage mounted(source_);
  for (int i = 0; i < kScatteredFiles; ++i) {
    ASSERT_TRUE(slurp(mounted.path(name_at(i))) == content_at(i)) << name_at(i);
  }
  EXPECT_GT(mounted.counters().announced_files(), kScatteredFiles * 9u / 10);
  EXPECT_EQ(mounted.counters().announced_reads(), mounted.counters().announced_files());
  EXPECT_EQ(mounted.unmount(), 0);
}

TEST_F(FuseAnnounce, WhoAsksForAttributesReadsNothing) {
  MountedImage mounted(source_);
  for (int i = 0; i < kScatteredFiles; ++i) {
    struct stat status {};
    ASSERT_EQ(::stat(mounted.path(name_at(i)).c_str(), &status), 0);
  }
  EXPECT_EQ(mounted.counters().of(Request::kLookup), static_cast<std::uint64_t>(kScatteredFiles));
  EXPECT_EQ(mounted.counters().announced_files(), 0u);
}

TEST_F(FuseAnnounce, NoprefetchAnnouncesNothing) {
  MountedImage mounted(source_, {.mount_options = {"noprefetch"}});
  for (int i = 0; i < kScatteredFiles; ++i) {
    ASSERT_TRUE(slurp(mounted.path(name_at(i))) == content_at(i)) << name_at(i);
  }
  EXPECT_EQ(mounted.counters().announced_files(), 0u);
}

TEST_F(FuseAnnounce, DamageIsToldToItsReader) {
  MountedImage mounted(source_);
  constexpr int kVictim = 150;
  const auto image = slurp(mounted.image_path());
  // In the first frame, before the next checksum.
  const auto at = image.find(content_at(kVictim).substr(0, 4096));
  ASSERT_NE(at, std::string::npos);
  {
    std::fstream file(mounted.image_path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(image[at] ^ 1));
  }
  for (int i = 0; i < kScatteredFiles; ++i) {
    int failure = 0;
    const auto content = slurp(mounted.path(name_at(i)), &failure);
    ASSERT_EQ(failure, i == kVictim ? EIO : 0) << name_at(i);
    ASSERT_EQ(content == content_at(i), i != kVictim) << name_at(i);
  }
  EXPECT_TRUE(mounted.server_lives());
}

}  // namespace
}  // namespace dgfs::test
