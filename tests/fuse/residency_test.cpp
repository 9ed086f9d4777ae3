// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A large file that is read through lies once in the page cache, not twice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fuse/mounted_image.h"
#include "tests/support/skip.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kLargeBytes = std::size_t{32} << 20;

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

TEST(FuseResidency, ALargeFileIsInMemoryOnce) {
  DGFS_NEEDS_FUSE();
  prefer_a_device();
  ScratchTree source;
  const auto content = noise(kLargeBytes, 1);
  source.file("large", content);
  MountedImage mounted(source);
  if (lies_in_memory(mounted.image_path()))
    DGFS_SKIP("neither TMPDIR nor /var/tmp lies on a device");
  ASSERT_TRUE(slurp(mounted.path("large")) == content);
  EXPECT_GT(resident_share(mounted.path("large")), 0.9);
  const auto below = resident_share(mounted.image_path());
  EXPECT_GE(below, 0.0);
  EXPECT_LT(below, 0.6) << "the image's pages were not dropped";
  EXPECT_EQ(mounted.unmount(), 0);
}

}  // namespace
}  // namespace dgfs::test
