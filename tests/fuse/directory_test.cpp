// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Listing directories: order, completeness, and going back to remembered places.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, DirectoryCloser>;

struct Listed {
  std::string name;
  ino_t inode;
  unsigned char type;
  long after;  // telldir() behind this entry
};

std::vector<Listed> list(DIR* directory) {
  std::vector<Listed> out;
  while (const auto* entry = ::readdir(directory)) {
    out.push_back({entry->d_name, entry->d_ino, entry->d_type, ::telldir(directory)});
  }
  return out;
}

constexpr int kManyNames = 5000;

void make_large_directory(const ScratchTree& source) {
  source.directory("large");
  for (int i = 0; i < kManyNames; ++i) source.file("large/name-" + std::to_string(i), "");
}

TEST(FuseDirectory, LargeDirectoriesAreComplete) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  make_large_directory(source);
  MountedImage mounted(source);
  for (const char* round : {"cold", "warm"}) {
    SCOPED_TRACE(round);
    const OpenDirectory directory(::opendir(mounted.path("large").c_str()));
    ASSERT_TRUE(directory);
    const auto entries = list(directory.get());
    ASSERT_EQ(entries.size(), kManyNames + 2u);
    EXPECT_EQ(entries[0].name, ".");
    EXPECT_EQ(entries[1].name, "..");
    EXPECT_TRUE(std::is_sorted(entries.begin() + 2, entries.end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }));
    std::set<ino_t> inodes;
    for (auto entry = entries.begin() + 2; entry != entries.end(); ++entry) {
      inodes.insert(entry->inode);
    }
    EXPECT_EQ(inodes.size(), static_cast<std::size_t>(kManyNames));
  }
}

TEST(FuseDirectory, SeekdirGoesBack) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  make_large_directory(source);
  MountedImage mounted(source);
  const OpenDirectory directory(::opendir(mounted.path("large").c_str()));
  ASSERT_TRUE(directory);
  const auto entries = list(directory.get());
  ASSERT_EQ(entries.size(), kManyNames + 2u);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1000},
                               std::size_t{4999}, std::size_t{17}}) {
    ::seekdir(directory.get(), entries[at].after);
    const auto* next = ::readdir(directory.get());
    ASSERT_NE(next, nullptr) << at;
    EXPECT_EQ(std::string(next->d_name), entries[at + 1].name);
  }
  ::seekdir(directory.get(), entries.back().after);
  EXPECT_EQ(::readdir(directory.get()), nullptr);
  ::rewinddir(directory.get());
  EXPECT_EQ(list(directory.get()).size(), entries.size());
}

TEST(FuseDirectory, TypesAndNumbersMatchStat) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("dir");
  source.file("file", "");
  source.hard_link("dir/link", "file");
  source.symlink("symlink", "file");
  source.node("fifo", S_IFIFO | 0600);
  MountedImage mounted(source);
  for (const char* name : {"", "dir"}) {
    const OpenDirectory directory(::opendir(mounted.path(name).c_str()));
    ASSERT_TRUE(directory);
    for (const auto& entry : list(directory.get())) {
      if (entry.name == ".." && *name == '\0') continue;  // leads out of the mount
      const auto status = lstat_of(mounted.path(std::string(name) + "/" + entry.name));
      EXPECT_EQ(entry.inode, status.st_ino) << entry.name;
      EXPECT_EQ(entry.type, IFTODT(status.st_mode)) << entry.name;
    }
  }
}

TEST(FuseDirectory, EmptyOnesHaveTwoNames) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("empty");
  MountedImage mounted(source);
  const OpenDirectory directory(::opendir(mounted.path("empty").c_str()));
  ASSERT_TRUE(directory);
  EXPECT_EQ(list(directory.get()).size(), 2u);
}

TEST(FuseDirectory, NamesMayHaveAnyBytes) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  const std::vector<std::string> names = {"\x01\xff\n", std::string(255, '\xc3'), " ", "\\,'\""};
  for (const auto& name : names) source.file(name, name);
  MountedImage mounted(source);
  const OpenDirectory directory(::opendir(mounted.path().c_str()));
  ASSERT_TRUE(directory);
  std::set<std::string> got;
  for (const auto& entry : list(directory.get())) got.insert(entry.name);
  for (const auto& name : names) {
    EXPECT_TRUE(got.contains(name));
    EXPECT_EQ(slurp(mounted.path(name)), name);
  }
}

}  // namespace
}  // namespace dgfs::test
