// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// When files are read in the order of their directories, the mount brings them ahead.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

using fuse::Request;

constexpr int kDirectories = 10;
constexpr int kFilesOfEach = 40;
constexpr std::uint64_t kFilesOfAll = kDirectories * kFilesOfEach;

std::string content_of(int directory, int file) {
  const auto seed = static_cast<std::uint64_t>(directory * 1000 + file);
  return noise(1 + seed * 37 % 20'000, seed);
}

class FusePrefetch : public testing::Test {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    for (int i = 0; i < kDirectories; ++i) {
      source_.directory(std::to_string(i));
      for (int j = 0; j < kFilesOfEach; ++j) source_.file(name_of(i, j), content_of(i, j));
    }
  }
  static std::string name_of(int directory, int file) {
    return std::to_string(directory) + "/" + std::to_string(100 + file);
  }
  static std::uint64_t reads(const MountedImage& mounted) {
    return mounted.counters().of(Request::kRead);
  }
  /// tar must read the contents that were packed.
  void expect_tar_sound(const MountedImage& mounted) const {
    const auto command = "tar -cf - -C " + mounted.path() + " . | tar -df - -C " + source_.path();
    EXPECT_EQ(std::system(command.c_str()), 0);
  }

  ScratchTree source_;
};

TEST_F(FusePrefetch, AWalkAsksForFewFiles) {
  MountedImage mounted(source_);
  expect_tar_sound(mounted);
  EXPECT_LT(reads(mounted), kFilesOfAll / 4);
  EXPECT_GT(mounted.counters().prefetched_files(), kFilesOfAll * 3 / 4);
  EXPECT_LE(reads(mounted) + mounted.counters().prefetched_files(), kFilesOfAll * 5 / 4)
      << "the mount reads few files twice";
  EXPECT_EQ(mounted.unmount(), 0);
}

TEST_F(FusePrefetch, NoprefetchBringsNothing) {
  MountedImage mounted(source_, {.mount_options = {"noprefetch"}});
  expect_tar_sound(mounted);
  EXPECT_GE(reads(mounted), kFilesOfAll);
  EXPECT_EQ(mounted.counters().prefetched_files(), 0u);
}

TEST_F(FusePrefetch, ReadsOutOfOrderBringNothing) {
  MountedImage mounted(source_);
  ASSERT_EQ(std::system(("find " + mounted.path() + " -ls > /dev/null").c_str()), 0);
  EXPECT_EQ(reads(mounted) + mounted.counters().prefetched_files(), 0u)
      << "a listing reads no contents";
  for (int j = kFilesOfEach; j-- > 0;) {
    for (int i = 0; i < kDirectories; ++i) {
      ASSERT_TRUE(slurp(mounted.path(name_of(i, j))) == content_of(i, j));
    }
  }
  EXPECT_LT(mounted.counters().prefetched_files(), kFilesOfAll / 20);
}

TEST_F(FusePrefetch, ManyReadersInOrderGetTheirFiles) {
  MountedImage mounted(source_);
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 8; ++reader) {
    readers.emplace_back([&mounted] {
      ASSERT_EQ(std::system(("ls -lR " + mounted.path() + " > /dev/null").c_str()), 0);
      for (int i = 0; i < kDirectories; ++i) {
        for (int j = 0; j < kFilesOfEach; ++j) {
          ASSERT_TRUE(slurp(mounted.path(name_of(i, j))) == content_of(i, j)) << i << " " << j;
        }
      }
    });
  }
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(mounted.unmount(), 0);
}

// The mount does not bring the damaged file ahead, and a reader of it gets the error.
TEST_F(FusePrefetch, DamageIsToldToItsReader) {
  MountedImage mounted(source_);
  const auto victim = content_of(3, 20);
  const auto image = slurp(mounted.image_path());
  const auto at = image.find(victim);
  ASSERT_NE(at, std::string::npos);
  {
    std::fstream file(mounted.image_path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(victim[0] ^ 1));
  }
  ASSERT_EQ(std::system(("ls -lR " + mounted.path() + " > /dev/null").c_str()), 0);
  for (int i = 0; i < kDirectories; ++i) {
    for (int j = 0; j < kFilesOfEach; ++j) {
      int failure = 0;
      const auto content = slurp(mounted.path(name_of(i, j)), &failure);
      const bool is_victim = i == 3 && j == 20;
      ASSERT_EQ(failure, is_victim ? EIO : 0) << i << " " << j;
      ASSERT_EQ(content == content_of(i, j), !is_victim) << i << " " << j;
    }
  }
  EXPECT_GT(mounted.counters().prefetched_files(), kFilesOfAll / 2);
  EXPECT_TRUE(mounted.server_lives());
}

}  // namespace
}  // namespace dgfs::test
