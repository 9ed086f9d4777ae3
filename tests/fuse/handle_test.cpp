// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// File handles, as NFS servers use them: valid without the path, and across mounts.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

// The kernel's structure has a tail whose length the file system chooses.
class Handle {
 public:
  [[nodiscard]] file_handle* get() { return reinterpret_cast<file_handle*>(memory_.data()); }
  /// Returns whether the file at `path` has a handle, and takes it.
  bool take(const std::string& path) {
    int mount_id = 0;
    get()->handle_bytes = MAX_HANDLE_SZ;
    return ::name_to_handle_at(AT_FDCWD, path.c_str(), get(), &mount_id, 0) == 0;
  }
  /// Changes it to an unused inode number: the high half comes first.
  void spoil() { memory_[sizeof(file_handle) + 1] = 77; }

 private:
  alignas(file_handle) std::array<unsigned char, sizeof(file_handle) + MAX_HANDLE_SZ> memory_{};
};

TEST(FuseHandle, OpensWithoutThePath) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("a");
  source.directory("a/b");
  source.file("a/b/file", "by handle");
  // The test takes a handle from one mount, and uses it on another of the same tree with empty
  // caches.
  MountedImage first(source);
  MountedImage mounted(source);
  Handle file;
  Handle directory;
  ASSERT_TRUE(file.take(first.path("a/b/file"))) << std::strerror(errno);
  ASSERT_TRUE(directory.take(first.path("a/b"))) << std::strerror(errno);
  const int root = ::open(mounted.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(root, 0);

  const int opened = ::open_by_handle_at(root, file.get(), O_RDONLY);
  ASSERT_GE(opened, 0) << std::strerror(errno);
  char buffer[20];
  EXPECT_EQ(::read(opened, buffer, sizeof buffer), 9);
  EXPECT_EQ(std::string(buffer, 9), "by handle");
  ::close(opened);

  // The kernel must connect a directory to the root again, and asks its parents for "..".
  const int opened_directory = ::open_by_handle_at(root, directory.get(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(opened_directory, 0) << std::strerror(errno);
  EXPECT_EQ(::faccessat(opened_directory, "file", R_OK, 0), 0);
  EXPECT_EQ(::faccessat(opened_directory, "../b/file", R_OK, 0), 0);
  ::close(opened_directory);
  ::close(root);
}

TEST(FuseHandle, OfNothingIsStale) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.file("file", "x");
  MountedImage mounted(source);
  Handle handle;
  ASSERT_TRUE(handle.take(mounted.path("file")));
  const int root = ::open(mounted.path().c_str(), O_RDONLY | O_DIRECTORY);
  handle.spoil();
  EXPECT_EQ(::open_by_handle_at(root, handle.get(), O_RDONLY), -1);
  EXPECT_EQ(errno, ESTALE);
  ::close(root);
}

}  // namespace
}  // namespace dgfs::test
