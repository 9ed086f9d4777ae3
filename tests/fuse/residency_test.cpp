// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents that are read through lie once in the page cache, not twice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fuse/mounted_image.h"
#include "tests/support/skip.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kLargeBytes = std::size_t{32} << 20;
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;

// Returns the share of a file's pages that are in memory.
double resident_share(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const auto size = static_cast<std::size_t>(::lseek(fd, 0, SEEK_END));
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page_bytes - 1) / page_bytes);
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (map == MAP_FAILED) return -1;
  const int result = ::mincore(map, size, pages.data());
  ::munmap(map, size);
  if (result != 0) return -1;
  const auto resident =
      std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; });
  return static_cast<double>(resident) / static_cast<double>(pages.size());
}

// On a file system in memory the pages of the image cannot be dropped.
bool lies_in_memory(const std::string& path) {
  constexpr auto kTmpfsMagic = 0x01021994;
  struct statfs system {};
  return ::statfs(path.c_str(), &system) == 0 && system.f_type == kTmpfsMagic;
}

// Moves temporary files to a device, if this machine has one for them.
void prefer_a_device() {
  const char* const given = std::getenv("TMPDIR");
  if (lies_in_memory(given == nullptr ? "/tmp" : given)) ::setenv("TMPDIR", "/var/tmp", 1);
}

class FuseResidency : public testing::Test {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    prefer_a_device();
  }

  // Packs files, reads them through a mount, and returns the share of the image in memory.
  static void read_through(std::uint64_t files, std::size_t bytes_of_each, double* share_below) {
    const auto name = [](std::uint64_t number) { return std::to_string(10'000 + number); };
    ScratchTree source;
    for (std::uint64_t i = 0; i < files; ++i) source.file(name(i), noise(bytes_of_each, i));
    MountedImage mounted(source);
    if (lies_in_memory(mounted.image_path())) return;
    // A walk lists a directory before it reads the files; then the mount brings small ones ahead.
    ASSERT_EQ(std::system(("ls -l " + mounted.path() + " > /dev/null").c_str()), 0);
    for (std::uint64_t i = 0; i < files; ++i) {
      ASSERT_TRUE(slurp(mounted.path(name(i))) == noise(bytes_of_each, i));
      EXPECT_GT(resident_share(mounted.path(name(i))), 0.9);
    }
    *share_below = resident_share(mounted.image_path());
    ASSERT_GE(*share_below, 0) << "cannot tell which pages are in memory";
    if (bytes_of_each < kSmallBytes) {
      EXPECT_GT(mounted.counters().prefetched_files(), files / 2);
    }
    EXPECT_EQ(mounted.unmount(), 0);
  }
};

TEST_F(FuseResidency, ALargeFileIsInMemoryOnce) {
  double share = -1;
  ASSERT_NO_FATAL_FAILURE(read_through(1, kLargeBytes, &share));
  if (share < 0) DGFS_SKIP("neither TMPDIR nor /var/tmp lies on a device");
  EXPECT_LT(share, 0.4) << "the image's pages were not dropped";
}

TEST_F(FuseResidency, FilesOfMiddleSizeAreInMemoryOnce) {
  double share = -1;
  ASSERT_NO_FATAL_FAILURE(read_through(64, kLargeBytes / 64, &share));
  if (share < 0) DGFS_SKIP("neither TMPDIR nor /var/tmp lies on a device");
  EXPECT_LT(share, 0.4) << "the image's pages were not dropped";
}

// The kernel keeps nothing of a direct read, so the image's copy is the only one.
TEST_F(FuseResidency, ContentsThatAreReadDirectlyStayInTheImagesMemory) {
  ScratchTree source;
  source.file("file", noise(kLargeBytes, 1));
  MountedImage mounted(source);
  if (lies_in_memory(mounted.image_path())) DGFS_SKIP("TMPDIR and /var/tmp do not lie on a device");
  const int file = ::open(mounted.path("file").c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  ASSERT_GE(file, 0);
  constexpr std::size_t kReadBytes = std::size_t{1} << 20;
  void* const buffer = std::aligned_alloc(4096, kReadBytes);
  std::size_t read_bytes = 0;
  for (ssize_t count = 0; (count = ::read(file, buffer, kReadBytes)) > 0;) {
    read_bytes += static_cast<std::size_t>(count);
  }
  std::free(buffer);
  ::close(file);
  EXPECT_EQ(read_bytes, kLargeBytes);
  EXPECT_GT(resident_share(mounted.image_path()), 0.9);
  EXPECT_EQ(mounted.unmount(), 0);
}

// The mount brings most of these before they are requested.
TEST_F(FuseResidency, SmallFilesOfAWalkAreInMemoryOnce) {
  double share = -1;
  ASSERT_NO_FATAL_FAILURE(read_through(2048, kLargeBytes / 2048, &share));
  if (share < 0) DGFS_SKIP("neither TMPDIR nor /var/tmp lies on a device");
  EXPECT_LT(share, 0.4) << "the image's pages were not dropped";
}

}  // namespace
}  // namespace dgfs::test
