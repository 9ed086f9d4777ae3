// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/directory_cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/limits.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using Names = std::vector<std::string>;

class DirectoryCursorOverPages : public testing::Test {
 protected:
  DirectoryCursorOverPages() {
    tree_.directory("d");
    tree_.directory("empty");
    tree_.file("e", "behind it");
    for (int i = 0; i < 4000; ++i) names_.push_back(random_name());
    std::ranges::sort(names_);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    for (const auto& name : names_) tree_.file("d/" + name, name);
    tree_.link("d/" + names_[1], "d/~link");
    names_.emplace_back("~link");
    tree_.pack();
    image_ = tree_.open();
  }
  std::string random_name() {
    const auto number = std::to_string(random_.below(100000));
    return random_.one_in(10) ? number + std::string(random_.below(100), 'x') : number;
  }
  [[nodiscard]] reader::DirectoryCursor cursor(const std::string& path) const {
    return value_of(image_->directory(value_of(image_->lookup(path)).inode));
  }
  void expect_at(const reader::DirectoryCursor& cursor, std::size_t at) const {
    ASSERT_EQ(cursor.is_at_name(), at < names_.size());
    if (at == names_.size()) return;
    ASSERT_EQ(cursor.name().name, names_[at]);
    ASSERT_EQ(cursor.name().position, at);
  }

  Random random_{1};
  PackedTree tree_;
  Names names_;
  std::unique_ptr<const reader::Image> image_;
};

TEST_F(DirectoryCursorOverPages, GoesThroughAllNamesInOrder) {
  auto at = cursor("d");
  EXPECT_EQ(at.count(), names_.size());
  EXPECT_FALSE(at.is_at_name());
  expect_ok(at.seek_to(0));
  for (const auto& name : names_) {
    ASSERT_TRUE(at.is_at_name());
    ASSERT_EQ(at.name().name, name);
    const auto found = value_of(image_->lookup("d/" + name));
    const auto node = value_of(at.node());
    ASSERT_EQ(node.inode, found.inode);
    ASSERT_EQ(node.size_bytes, found.size_bytes);
    ASSERT_EQ(at.name().inode, found.inode);
    expect_ok(at.next());
  }
  EXPECT_FALSE(at.is_at_name());
}

TEST_F(DirectoryCursorOverPages, FindsTheFirstNameThatIsNotBefore) {
  auto at = cursor("d");
  for (int i = 0; i < 2000; ++i) {
    std::string name = random_.one_in(2)
                           ? random_name()
                           : names_[static_cast<std::size_t>(random_.below(names_.size()))];
    if (random_.one_in(4)) name += random_.one_in(2) ? "\x01" : "~";
    const auto expected =
        static_cast<std::size_t>(std::ranges::lower_bound(names_, name) - names_.begin());
    expect_ok(at.seek(name));
    expect_at(at, expected);
    if (!at.is_at_name()) continue;
    expect_ok(at.next());
    expect_at(at, expected + 1);
  }
  expect_ok(at.seek(""));
  expect_at(at, 0);
  expect_ok(at.seek_to(names_.size()));
  EXPECT_FALSE(at.is_at_name());
}

TEST_F(DirectoryCursorOverPages, OfAnEmptyDirectoryStandsNowhere) {
  auto at = cursor("empty");
  EXPECT_EQ(at.count(), 0U);
  expect_ok(at.seek("a"));
  EXPECT_FALSE(at.is_at_name());
  expect_ok(at.seek_to(0));
  EXPECT_FALSE(at.is_at_name());
  EXPECT_EQ(image_->directory(value_of(image_->lookup("e")).inode).error().kind(),
            ErrorKind::kNotDirectory);
}

TEST_F(DirectoryCursorOverPages, ReadsOnePageForANameOrTwo) {
  reader::OpenOptions options;
  options.page_cache_bytes = 0;
  image_ = tree_.open(options);
  auto at = cursor("d");
  for (int i = 0; i < 200; ++i) {
    const auto before = tree_.index_counts().reads;
    expect_ok(at.seek(random_name()));
    ASSERT_LE(tree_.index_counts().reads - before, 2U);
  }
}

// The cursor reports a lost page, and continues behind it.
TEST(DirectoryCursor, GoesOnBehindALostPage) {
  const auto memory = storage::make_memory_env(1);
  ImageAssembler assembler;
  for (const auto* folder : {"d", "e", "f"}) assembler.add_directory(folder);
  for (const char name : std::string("0123456789ab")) {
    assembler.add_file(std::string("d/") + name, pattern(9, 1));
  }
  assembler.entries_per_page = 4;
  assembler.write(*memory, "/t.dgfs", "/t.dgfs.idx", false);
  auto index = read_file(*memory, "/t.dgfs.idx");
  // Page 0 has the root, d, e and f; pages 1 to 3 have the names in d.
  index[(2 + 1) * format::kPageBytes + 60] ^= 0x55;
  const auto damaged = storage::make_memory_env(1);
  write_file(*damaged, "/t.dgfs", read_file(*memory, "/t.dgfs"));
  write_file(*damaged, "/t.dgfs.idx", index);
  const auto image = value_of(reader::Image::open(*damaged, "/t.dgfs"));
  auto at = value_of(image->directory(value_of(image->lookup("d")).inode));
  for (const auto* name : {"4", "6"}) {
    EXPECT_EQ(at.seek(name).error().kind(), ErrorKind::kCorrupt);
    EXPECT_FALSE(at.is_at_name());
    EXPECT_EQ(at.behind_lost(), 8U);
  }
  Names names;
  Status moved = at.seek_to(0);
  while (!moved || at.is_at_name()) {
    if (!moved) {
      EXPECT_NE(moved.error().message().find("4"), std::string::npos);
      moved = at.seek_to(at.behind_lost());
      continue;
    }
    names.emplace_back(at.name().name);
    moved = at.next();
  }
  EXPECT_EQ(names, (Names{"0", "1", "2", "3", "8", "9", "a", "b"}));
}

}  // namespace
}  // namespace dgfs::test
