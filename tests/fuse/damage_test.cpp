// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A damaged or vanishing image makes reads fail, and nothing else.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "format/header/superblock.h"
#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

void overwrite(const std::string& path, std::size_t offset, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
            static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

int failure_of(const std::string& path) {
  int failure = 0;
  (void)slurp(path, &failure);
  return failure;
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(FuseDamage, DamagedContentsGiveEioAndOneLogLine) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("dir");
  source.file("dir/victim", "MARKED" + noise(5000, 1));
  source.file("dir/whole", noise(5000, 2));
  MountedImage mounted(source);
  const auto at = slurp(mounted.image_path()).find("MARKED");
  ASSERT_NE(at, std::string::npos);
  overwrite(mounted.image_path(), at, "marked");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(failure_of(mounted.path("dir/victim")), EIO);
  EXPECT_TRUE(slurp(mounted.path("dir/whole")) == noise(5000, 2));
  EXPECT_EQ(count_of(mounted.log(), "read of /dir/victim"), 1u) << mounted.log();
  EXPECT_NE(mounted.log().find("image.dgfs"), std::string::npos);
  EXPECT_TRUE(mounted.server_lives());
  EXPECT_EQ(mounted.unmount(), 0);
}

TEST(FuseDamage, ATruncatedImageGivesEio) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  for (int i = 0; i < 20; ++i) {
    source.file(std::to_string(i), noise(50'000, static_cast<std::uint64_t>(i)));
  }
  MountedImage mounted(source);
  ASSERT_EQ(::truncate(mounted.image_path().c_str(), 300'000), 0);
  int failures = 0;
  for (int i = 0; i < 20; ++i) {
    int failure = 0;
    const auto got = slurp(mounted.path(std::to_string(i)), &failure);
    if (failure == 0) {
      EXPECT_TRUE(got == noise(50'000, static_cast<std::uint64_t>(i)));
    } else {
      EXPECT_EQ(failure, EIO);
      ++failures;
    }
  }
  EXPECT_GE(failures, 13);
  EXPECT_TRUE(mounted.server_lives());
  EXPECT_EQ(mounted.unmount(), 0);
}

// Damages both copies of the index pages [first, end); end 0: to the last page.
void damage_pages(const MountedImage& mounted, std::size_t first, std::size_t end) {
  const auto index = slurp(mounted.index_path());
  const auto superblock = format::decode_superblock(as_bytes(index).first(format::kPageBytes));
  ASSERT_TRUE(superblock) << superblock.error().message();
  const auto& pages = superblock.value().section(format::SectionKind::kPages);
  const auto copy_at = slurp(mounted.image_path()).find(index.substr(0, format::kPageBytes));
  ASSERT_NE(copy_at, std::string::npos);
  ASSERT_GT(pages.length_bytes, 3 * format::kPageBytes);
  if (end == 0) end = pages.length_bytes / format::kPageBytes;
  const auto garbage = noise((end - first) * format::kPageBytes, 5);
  const auto offset = pages.offset_bytes + first * format::kPageBytes;
  overwrite(mounted.index_path(), offset, garbage);
  overwrite(mounted.image_path(), copy_at + offset, garbage);
}

// Lists a directory in its order; `failure` becomes the error at its end.
std::vector<std::string> names_in(DIR* directory, int& failure, std::size_t names_max) {
  std::vector<std::string> names;
  errno = 0;
  while (names.size() < names_max) {
    const auto* const entry = ::readdir(directory);
    if (entry == nullptr) break;
    names.emplace_back(entry->d_name);
  }
  failure = errno;
  return names;
}

// A name that does not compress, so that few files fill many pages.
std::string unlike_name(std::uint64_t number) {
  std::string name;
  for (const char byte : noise(40, number)) name += static_cast<char>('0' + (byte & 63));
  return name;
}

TEST(FuseDamage, DamagedIndexPagesGiveEio) {
  DGFS_NEEDS_FUSE();
  ScratchTree source;
  source.directory("dir");
  for (std::uint64_t i = 0; i < 3000; ++i) source.file("dir/" + unlike_name(i), "");
  MountedImage mounted(source);
  damage_pages(mounted, 1, 0);
  int failures = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    struct stat ignored {};
    if (::lstat(mounted.path("dir/" + unlike_name(i)).c_str(), &ignored) == 0) continue;
    ASSERT_EQ(errno, EIO);
    ++failures;
  }
  EXPECT_GT(failures, 1000);
  EXPECT_NE(mounted.log().find("lookup of"), std::string::npos) << mounted.log();
  EXPECT_TRUE(mounted.server_lives());
  EXPECT_EQ(mounted.unmount(), 0);
}

// Each round gives each readable name once, and then an error for the lost ones.
TEST(FuseDamage, AListingGoesOnBehindALostPageAndEndsInEio) {
  DGFS_NEEDS_FUSE();
  constexpr std::size_t kNames = 3000;
  ScratchTree source;
  source.directory("dir");
  for (std::uint64_t i = 0; i < kNames; ++i) source.file("dir/" + unlike_name(i), "");
  MountedImage mounted(source);
  damage_pages(mounted, 3, 4);
  std::size_t lost = 0;
  for (std::uint64_t i = 0; i < kNames; ++i) {
    struct stat ignored {};
    if (::lstat(mounted.path("dir/" + unlike_name(i)).c_str(), &ignored) != 0) ++lost;
  }
  ASSERT_GT(lost, 0U);
  ASSERT_LT(lost, kNames / 5);
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(mounted.path("dir").c_str()),
                                                &::closedir);
  ASSERT_TRUE(directory);
  for (int round = 0; round < 3; ++round) {
    int failure = 0;
    const auto names = names_in(directory.get(), failure, 2 * kNames);
    EXPECT_EQ(failure, EIO);
    EXPECT_EQ(names.size(), 2 + kNames - lost);
    EXPECT_TRUE(std::is_sorted(names.begin() + 2, names.end()));
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    (void)names_in(directory.get(), failure, 1);
    EXPECT_EQ(failure, EIO) << "a further readdir fails, too";
    ::rewinddir(directory.get());
  }
  // A reader that goes back to a place behind the damage still gets the error.
  int failure = 0;
  (void)names_in(directory.get(), failure, kNames - lost - 10);
  ASSERT_EQ(failure, 0);
  const auto place = ::telldir(directory.get());
  const auto rest = names_in(directory.get(), failure, kNames);
  ::seekdir(directory.get(), place);
  EXPECT_EQ(names_in(directory.get(), failure, kNames), rest);
  EXPECT_EQ(failure, EIO);
  EXPECT_EQ(count_of(mounted.log(), "pages, offset"), 1U) << mounted.log();
  directory.reset();
  EXPECT_EQ(mounted.unmount(), 0);
}

// Their attributes are in link records: only a stat of a lost record gives the error.
TEST(FuseDamage, HardLinksWithoutTheirRecordsAreListed) {
  DGFS_NEEDS_FUSE();
  constexpr std::uint64_t kNames = 600;
  ScratchTree source;
  source.directory("dir");
  source.directory("other");
  for (std::uint64_t i = 0; i < kNames; ++i) {
    source.file("dir/" + unlike_name(i), "");
    source.hard_link("other/" + unlike_name(i), "dir/" + unlike_name(i));
  }
  MountedImage mounted(source);
  const auto index = slurp(mounted.index_path());
  const auto superblock = format::decode_superblock(as_bytes(index).first(format::kPageBytes));
  ASSERT_TRUE(superblock);
  const auto pages =
      superblock.value().section(format::SectionKind::kPages).length_bytes / format::kPageBytes;
  damage_pages(mounted, pages - 1, pages);
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(mounted.path("dir").c_str()),
                                                &::closedir);
  ASSERT_TRUE(directory);
  int failure = 0;
  const auto names = names_in(directory.get(), failure, 2 * kNames);
  EXPECT_EQ(failure, 0);
  EXPECT_EQ(names.size(), 2 + kNames);
  std::size_t lost = 0;
  for (const auto& name : names) {
    struct stat ignored {};
    if (::lstat(mounted.path("dir/" + name).c_str(), &ignored) == 0) continue;
    EXPECT_EQ(errno, EIO);
    ++lost;
  }
  EXPECT_GT(lost, 0U);
  directory.reset();
  EXPECT_EQ(mounted.unmount(), 0);
}

}  // namespace
}  // namespace dgfs::test
