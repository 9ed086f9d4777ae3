// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A damaged or vanishing image makes reads fail, and nothing else.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "format/superblock.h"
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

// Both copies of all pages but the first.
void damage_pages(const MountedImage& mounted) {
  const auto index = slurp(mounted.index_path());
  const auto superblock = format::decode_superblock(as_bytes(index).first(format::kPageBytes));
  ASSERT_TRUE(superblock) << superblock.error().message();
  const auto& pages = superblock.value().section(format::SectionKind::kPages);
  const auto copy_at = slurp(mounted.image_path()).find(index.substr(0, format::kPageBytes));
  ASSERT_NE(copy_at, std::string::npos);
  ASSERT_GT(pages.length_bytes, 3 * format::kPageBytes);
  const auto garbage = noise(pages.length_bytes - format::kPageBytes, 5);
  overwrite(mounted.index_path(), pages.offset_bytes + format::kPageBytes, garbage);
  overwrite(mounted.image_path(), copy_at + pages.offset_bytes + format::kPageBytes, garbage);
}

// Names that do not compress, so that few files fill many pages.
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
  damage_pages(mounted);
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

}  // namespace
}  // namespace dgfs::test
