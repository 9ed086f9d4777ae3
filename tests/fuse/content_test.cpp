// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents through a mount: reads of all shapes, holes, mappings, many readers at once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/fuse/mounted_image.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path, int flags = O_RDONLY)
      : fd_(::open(path.c_str(), flags)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

TEST(FuseContent, FilesOfAllSizes) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const std::vector<std::size_t> sizes = {0,      1,       4095,          4096,     4097,
                                          65535,  65536,   65537,         131071,   131072,
                                          131073, 1 << 20, (1 << 20) + 1, 5'000'000};
  for (const auto size : sizes) source.file(std::to_string(size), noise(size, size));
  MountedImage mounted(source);
  for (const auto size : sizes) {
    EXPECT_TRUE(slurp(mounted.path(std::to_string(size))) == noise(size, size)) << size;
  }
}

TEST(FuseContent, RandomReadsAndDirectReads) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const auto content = noise(3'000'001, 3);
  source.file("file", content);
  MountedImage mounted(source);
  for (const int flags : {O_RDONLY, O_RDONLY | O_DIRECT}) {
    const OpenFile file(mounted.path("file"), flags);
    ASSERT_GE(file.fd(), 0);
    SeededEngine random(4);
    std::string buffer;
    for (int i = 0; i < 200; ++i) {
      const std::size_t offset = random() % (content.size() + 100);
      buffer.assign(random() % 300'000, '\0');
      const auto count =
          ::pread(file.fd(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
      const auto want =
          offset < content.size() ? content.substr(offset, buffer.size()) : std::string();
      ASSERT_EQ(count, static_cast<ssize_t>(want.size()));
      buffer.resize(want.size());
      ASSERT_TRUE(buffer == want) << offset;
    }
  }
}

TEST(FuseContent, HolesAreFoundAndReadAsZeros) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  constexpr off_t kData = 1 << 20;
  source.file("sparse", "");
  source.write_at("sparse", noise(8192, 1), kData);
  source.write_at("sparse", noise(4096, 2), 3 * kData);
  ASSERT_EQ(::truncate(source.path("sparse").c_str(), 4 * kData), 0);
  source.file("dense", noise(10'000, 3));
  MountedImage mounted(source);
  const OpenFile file(mounted.path("sparse"));
  ASSERT_GE(file.fd(), 0);
  EXPECT_EQ(::lseek(file.fd(), 0, SEEK_HOLE), 0);
  EXPECT_EQ(::lseek(file.fd(), 0, SEEK_DATA), kData);
  EXPECT_EQ(::lseek(file.fd(), kData + 5, SEEK_DATA), kData + 5);
  EXPECT_EQ(::lseek(file.fd(), kData, SEEK_HOLE), kData + 8192);
  EXPECT_EQ(::lseek(file.fd(), kData + 8192, SEEK_DATA), 3 * kData);
  EXPECT_EQ(::lseek(file.fd(), 3 * kData, SEEK_HOLE), 3 * kData + 4096);
  EXPECT_EQ(::lseek(file.fd(), 3 * kData + 4096, SEEK_DATA), -1);
  EXPECT_EQ(errno, ENXIO);
  EXPECT_EQ(::lseek(file.fd(), 4 * kData, SEEK_HOLE), -1);
  EXPECT_EQ(errno, ENXIO);
  EXPECT_TRUE(slurp(mounted.path("sparse")) == slurp(source.path("sparse")));

  const OpenFile dense(mounted.path("dense"));
  EXPECT_EQ(::lseek(dense.fd(), 5, SEEK_DATA), 5);
  EXPECT_EQ(::lseek(dense.fd(), 5, SEEK_HOLE), 10'000);
}

TEST(FuseContent, WithoutHolesTheKernelSeeksAlone) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("dense", noise(10'000, 3));
  MountedImage mounted(source);
  const OpenFile file(mounted.path("dense"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(::lseek(file.fd(), 5, SEEK_DATA), 5);
    EXPECT_EQ(::lseek(file.fd(), 5, SEEK_HOLE), 10'000);
  }
  EXPECT_EQ(::lseek(file.fd(), 10'000, SEEK_DATA), -1);
  EXPECT_EQ(errno, ENXIO);
  EXPECT_LE(mounted.counters().of(fuse::Request::kSeek), 1u);
}

TEST(FuseContent, FilesCanBeMappedAndRun) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const auto content = noise(200'000, 9);
  source.file("data", content);
  source.file("program", "#!/bin/sh\nexit 7\n", 0755);
  MountedImage mounted(source);
  const OpenFile file(mounted.path("data"));
  void* memory = ::mmap(nullptr, content.size(), PROT_READ, MAP_PRIVATE, file.fd(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_TRUE(std::string_view(static_cast<const char*>(memory), content.size()) == content);
  ::munmap(memory, content.size());
  EXPECT_EQ(WEXITSTATUS(std::system(mounted.path("program").c_str())), 7);
}

TEST(FuseContent, ManyReadersAtOnce) {
  DGFS_NEEDS_FUSE();
  constexpr int kFiles = 300;
  constexpr int kReaders = 8;
  ScratchTree source;
  const auto size_of = [](int i) { return static_cast<std::size_t>(i) * 997; };
  for (int i = 0; i < kFiles; ++i) {
    source.file(std::to_string(i), noise(size_of(i), static_cast<std::uint64_t>(i)));
  }
  MountedImage mounted(source);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&, reader] {
      for (int i = 0; i < kFiles; ++i) {
        const int file = (i * 7 + reader * 31) % kFiles;
        const auto want = noise(size_of(file), static_cast<std::uint64_t>(file));
        if (slurp(mounted.path(std::to_string(file))) != want) ++wrong;
      }
    });
  }
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST(FuseContent, NothingCanBeWritten) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("file", "x");
  source.directory("dir");
  MountedImage mounted(source);
  const auto file = mounted.path("file");
  const auto fresh = mounted.path("fresh");
  const auto refused = [](int result) { return result == -1 && errno == EROFS; };
  EXPECT_TRUE(refused(::open(file.c_str(), O_WRONLY)));
  EXPECT_TRUE(refused(::open(file.c_str(), O_RDWR | O_TRUNC)));
  EXPECT_TRUE(refused(::open(fresh.c_str(), O_WRONLY | O_CREAT, 0644)));
  EXPECT_TRUE(refused(::truncate(file.c_str(), 0)));
  EXPECT_TRUE(refused(::unlink(file.c_str())));
  EXPECT_TRUE(refused(::mkdir(fresh.c_str(), 0755)));
  EXPECT_TRUE(refused(::rmdir(mounted.path("dir").c_str())));
  EXPECT_TRUE(refused(::rename(file.c_str(), fresh.c_str())));
  EXPECT_TRUE(refused(::link(file.c_str(), fresh.c_str())));
  EXPECT_TRUE(refused(::symlink("x", fresh.c_str())));
  EXPECT_TRUE(refused(::chmod(file.c_str(), 0600)));
  EXPECT_TRUE(refused(::chown(file.c_str(), 1, 1)));
  EXPECT_EQ(slurp(file), "x");
}

}  // namespace
}  // namespace dgfs::test
