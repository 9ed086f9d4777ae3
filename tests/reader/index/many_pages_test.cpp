// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trees whose index has many pages of a few entries each: the pages that a lookup and a walk read,
// and names and numbers that no page can hold.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr const char* kTree = "/t.dgfs";
constexpr const char* kPages = "/t.dgfs.idx";

class ManyPages : public ::testing::Test {
 protected:
  // Directories of 20 files each. With 4 entries a page, the root and three directories fill one
  // page, and the files of each directory fill five.
  void SetUp() override {
    for (const auto* folder : {"a", "b", "c"}) {
      assembler_.add_directory(folder);
      for (int i = 10; i < 30; ++i) {
        assembler_.add_file(std::string(folder) + "/file" + std::to_string(i), pattern(9, 1));
      }
    }
    assembler_.entries_per_page = 4;
  }
  std::unique_ptr<const reader::Image> write_and_open() {
    assembler_.write(*memory_, kTree, kPages, false);
    auto image = value_of(reader::Image::open(*counting_, kTree));
    counting_->reset();
    return image;
  }
  // The reads of the index since the last call.
  std::uint64_t reads() {
    const auto count = counting_->counts(kPages).reads;
    counting_->reset();
    return count;
  }
  void add_link(const std::string& path, format::InodeNumber inode) {
    auto& name = assembler_.add(path, format::kTypeRegular);
    name.mtime = {};
    name.link_inode = inode;
    assembler_.add_link_record(inode, format::kTypeRegular | 0644, 1);
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::CountingEnv> counting_ = storage::make_counting_env(*memory_);
  ImageAssembler assembler_;
};

// The page directory alone shows that no page has such a key.
TEST_F(ManyPages, PathsThatNoPageCanHoldCostNoRead) {
  const auto image = write_and_open();
  for (const auto* path : {"a/zzz", "b/other", "c/zzz", "d/file10", "b/file10/x"}) {
    const auto node = image->lookup(path);
    ASSERT_FALSE(node) << path;
    EXPECT_EQ(node.error().kind(), ErrorKind::kNotFound) << path;
  }
  EXPECT_EQ(reads(), 0U);
  EXPECT_TRUE(image->lookup("c/file29"));
  EXPECT_EQ(reads(), 1U);
}

TEST_F(ManyPages, NamesThatNoPageOfADirectoryCanHold) {
  const auto image = write_and_open();
  const auto b = value_of(image->lookup("b")).inode;
  for (const auto* name : {"aaa", "file", "file099", "zzz"}) {
    const auto node = image->lookup(b, name);
    ASSERT_FALSE(node) << name;
    EXPECT_EQ(node.error().kind(), ErrorKind::kNotFound) << name;
  }
  EXPECT_EQ(value_of(image->path_of(value_of(image->lookup(b, "file17")).inode)), "b/file17");
}

TEST_F(ManyPages, AWalkReadsTheSubtreesPagesAndNoOthers) {
  for (const auto* folder : {"a", "b", "c"}) {
    const auto image = write_and_open();
    std::vector<std::string> paths;
    expect_ok(image->walk(folder, [&](std::string_view path, const reader::Node&) {
      paths.emplace_back(path);
      return true;
    }));
    ASSERT_EQ(paths.size(), 21U) << folder;
    EXPECT_EQ(paths.front(), folder);
    EXPECT_EQ(paths.back(), std::string(folder) + "/file29");
    EXPECT_EQ(reads(), 6U) << folder;
    expect_ok(memory_->remove(kTree));
    expect_ok(memory_->remove(kPages));
  }
}

// More pages than one announcement covers, walked by one and by several threads.
TEST_F(ManyPages, ALongWalkReadsEachPageOnce) {
  assembler_.entries_per_page = 1;
  std::uint64_t pages = 64;
  for (const std::uint64_t wanted : {258U, 264U}) {
    for (; pages < wanted; ++pages) {
      assembler_.add_file("f" + std::to_string(1000 + pages), pattern(9, 1));
    }
    assembler_.runs.clear();
    const auto image = write_and_open();
    std::uint64_t entries = 0;
    expect_ok(
        image->walk("", [&](std::string_view, const reader::Node&) { return ++entries > 0; }));
    EXPECT_EQ(entries, pages);
    EXPECT_EQ(reads(), pages);
    for (const auto* path : {kTree, kPages}) expect_ok(memory_->remove(path));
  }
}

TEST_F(ManyPages, MeasuringEndsWhereItIsTold) {
  const auto image = write_and_open();
  for (const std::size_t wanted : {1U, 3U, 1000U}) {
    std::size_t seen = 0;
    expect_ok(image->measure_pages([&](const format::PageSizes&) { return ++seen < wanted; }));
    EXPECT_EQ(seen, std::min<std::size_t>(wanted, 16));
  }
}

// Directories whose names begin alike: the common prefix of their keys ends inside the names.
TEST_F(ManyPages, OnePageOfSeveralDirectories) {
  for (const std::string folder : {"twin-1", "twin-2"}) {
    assembler_.add_directory(folder);
    for (const auto* name : {"/x", "/y"}) assembler_.add_file(folder + name, pattern(9, 1));
  }
  assembler_.entries_per_page = 6;  // page 0: the root and five directories; then files
  const auto image = write_and_open();
  for (const std::string folder : {"twin-1", "twin-2"}) {
    std::vector<std::string> names;
    const auto inode = value_of(image->lookup(folder)).inode;
    expect_ok(image->list(inode, 0, [&](const auto& entry) {
      names.emplace_back(entry.name);
      return true;
    }));
    EXPECT_EQ(names, (std::vector<std::string>{"x", "y"})) << folder;
    EXPECT_EQ(value_of(image->path_of(value_of(image->lookup(inode, "y")).inode)), folder + "/y");
  }
}

// F-060: no object has number 0, though the page of the link records begins below it; nor do
// numbers between those of records exist.
TEST_F(ManyPages, NumbersBetweenLinkRecords) {
  add_link("c/first", 200);
  add_link("c/second", 70'000);
  assembler_.next_inode = 100'000;
  const auto image = write_and_open();
  for (const format::InodeNumber inode : {0U, 199U, 201U, 69'999U, 70'001U, 99'999U}) {
    const auto node = image->by_inode(inode);
    ASSERT_FALSE(node) << inode;
    EXPECT_EQ(node.error().kind(), ErrorKind::kNotFound) << inode;
  }
  for (const format::InodeNumber inode : {200U, 70'000U}) {
    EXPECT_EQ(value_of(image->by_inode(inode)).inode, inode);
  }
}

// The reader decodes whole pages only as long as half of the cache holds them; answers stay the
// same.
TEST_F(ManyPages, AnswersWithoutRoomForDecodedPages) {
  assembler_.write(*memory_, kTree, kPages, false);
  for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{4000}, std::size_t{1} << 20}) {
    reader::OpenOptions options;
    options.page_cache_bytes = cache_bytes;
    const auto image = value_of(reader::Image::open(*memory_, kTree, options));
    for (int round = 0; round < 40; ++round) {
      const auto path = "a/file" + std::to_string(10 + round % 20);
      const auto node = value_of(image->lookup(path));
      EXPECT_EQ(value_of(image->path_of(node.inode)), path);
    }
    EXPECT_LE(image->counters().pages.bytes, cache_bytes);
  }
}

}  // namespace
}  // namespace dgfs::test
