// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/attributes.h"

#include <gtest/gtest.h>

#include <limits>

#include "format/content/extent.h"
#include "format/entry/mode.h"

namespace dgfs::fuse {
namespace {

reader::Node file_of(std::uint64_t size_bytes) {
  reader::Node node;
  node.inode = 5;
  node.mode = format::kTypeRegular | 0644;
  node.size_bytes = size_bytes;
  node.stored_bytes = format::raw_extent_bytes(size_bytes);
  return node;
}

TEST(FuseAttributes, CompressionIsNotAHole) {
  auto node = file_of(1'000'000);
  node.codec = format::ExtentCodec::kZstd;
  node.stored_bytes = 1000;
  EXPECT_EQ(to_stat(node).st_blocks, 1954);
}

TEST(FuseAttributes, HolesTakeNoBlocks) {
  auto node = file_of(1'000'000);
  node.sparse_map = {.offset_bytes = 0, .length_bytes = 20};
  node.stored_bytes = format::raw_extent_bytes(131'072);
  EXPECT_EQ(to_stat(node).st_blocks, 256);
  node.stored_bytes = 0;
  EXPECT_EQ(to_stat(node).st_blocks, 0);
}

TEST(FuseAttributes, StoredSizesThatCannotBeDoNoHarm) {
  auto node = file_of(1000);
  node.sparse_map = {.offset_bytes = 0, .length_bytes = 20};
  node.stored_bytes = 7;  // shorter than a checksum
  EXPECT_LE(to_stat(node).st_blocks, 2);
  node.stored_bytes = std::numeric_limits<std::uint64_t>::max();
  EXPECT_LE(to_stat(node).st_blocks, 2);
}

TEST(FuseAttributes, TimesBeforeTheEpochAndFarAhead) {
  auto node = file_of(0);
  node.mtime = {.seconds = -5, .nanoseconds = 999'999'999};
  node.ctime = {.seconds = 9'000'000'000, .nanoseconds = 1};
  const auto attributes = to_stat(node);
  EXPECT_EQ(attributes.st_mtim.tv_sec, -5);
  EXPECT_EQ(attributes.st_mtim.tv_nsec, 999'999'999);
  EXPECT_EQ(attributes.st_ctim.tv_sec, 9'000'000'000);
}

TEST(FuseAttributes, NodeIdIsTheInodeNumber) {
  const auto entry = to_entry(file_of(1));
  EXPECT_EQ(entry.ino, 5u);
  EXPECT_EQ(entry.attr.st_ino, 5u);
  EXPECT_EQ(entry.generation, 0u);
  EXPECT_EQ(absent_entry().ino, 0u);
  EXPECT_GT(absent_entry().entry_timeout, 1e9);
}

TEST(FuseAttributes, TotalsOfTheFileSystem) {
  format::Superblock superblock;
  superblock.stored_bytes = 10'000;
  superblock.index_bytes = 8192;
  superblock.regular_files = 3;
  superblock.directories = 2;
  superblock.symlinks = 1;
  const auto totals = to_statvfs(superblock);
  EXPECT_EQ(totals.f_blocks, 5u);
  EXPECT_EQ(totals.f_files, 6u);
  EXPECT_EQ(totals.f_bavail, 0u);
}

TEST(FuseAttributes, OverridesReplaceOwnerAndPermissions) {
  auto node = file_of(10);
  node.mode = 0104711;
  node.uid = 5;
  node.gid = 6;
  const auto owner = to_stat(node, {.uid = 7, .gid = std::nullopt, .umask = std::nullopt});
  EXPECT_EQ(owner.st_uid, 7u);
  EXPECT_EQ(owner.st_gid, 6u);
  EXPECT_EQ(owner.st_mode, 0100711u) << "the shown owner has not granted set-user-id";
  const auto group = to_stat(node, {.uid = std::nullopt, .gid = 7, .umask = std::nullopt});
  EXPECT_EQ(group.st_mode, 0100711u);
  EXPECT_EQ(to_stat(node, {}).st_mode, 0104711u);
  const auto entry = to_entry(node, {.uid = std::nullopt, .gid = 8, .umask = 022});
  EXPECT_EQ(entry.attr.st_uid, 5u);
  EXPECT_EQ(entry.attr.st_gid, 8u);
  EXPECT_EQ(entry.attr.st_mode, 0100755u);
  node.mode = 0120777;
  EXPECT_EQ(to_stat(node, {.uid = {}, .gid = {}, .umask = 077}).st_mode, 0120777u);
}

// The options give no user rights to a device node that the image does not give.
TEST(FuseAttributes, OverridesGiveNoRightsToDevices) {
  auto node = file_of(0);
  node.uid = 0;
  node.gid = 6;
  for (const std::uint32_t type : {0020000u, 0060000u}) {
    node.mode = type | 0660;
    const auto shown = to_stat(node, {.uid = 1000, .gid = 1000, .umask = 0});
    EXPECT_EQ(shown.st_uid, 0u);
    EXPECT_EQ(shown.st_gid, 6u);
    EXPECT_EQ(shown.st_mode, type | 0660);
    EXPECT_EQ(to_stat(node, {.uid = {}, .gid = {}, .umask = 027}).st_mode, type | 0640);
  }
  // Pipes and directories lead to nothing outside the mount, so the options apply to them.
  node.mode = 0010600;
  EXPECT_EQ(to_stat(node, {.uid = 1000, .gid = {}, .umask = 0}).st_mode, 0010777u);
  node.mode = 0042755;
  EXPECT_EQ(to_stat(node, {.uid = 1000, .gid = {}, .umask = {}}).st_mode, 0042755u);
}

}  // namespace
}  // namespace dgfs::fuse
