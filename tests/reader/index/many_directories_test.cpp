// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trees of so many directories that a separate thread loads their table.
#include <fmt/format.h>

#include "format/entry/mode.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

constexpr unsigned kFanOut = 130;  // its square is above the limit for a separate thread

std::string inner_path(unsigned outer, unsigned inner) {
  return fmt::format("{:03}/{:03}", outer, inner);
}

class ManyDirectoriesTest : public ::testing::Test {
 protected:
  void pack(bool trailing_index) {
    for (unsigned i = 0; i < kFanOut; ++i) {
      const auto outer = fmt::format("{:03}", i);
      tree_.directory(outer);
      const auto directory = value_of(tree_.memory().open_directory("/tree/" + outer));
      for (unsigned j = 0; j < kFanOut; ++j) {
        expect_ok(directory->make_directory(fmt::format("{:03}", j), 0755));
      }
    }
    builder::BuildOptions options;
    options.trailing_index = trailing_index;
    tree_.pack(options);
  }
  void damage(SectionKind kind) {
    const auto image = value_of(reader::Image::open(tree_.memory(), kIndex));
    const auto& place = image->superblock().section(kind);
    const auto at = place.offset_bytes + place.length_bytes / 2;
    const auto file =
        value_of(tree_.memory().open(kIndex, {.mode = storage::OpenOptions::Mode::kReadWrite}));
    Buffer byte(1);
    expect_ok(storage::read_exactly(*file, at, byte));
    byte[0] ^= 0xff;
    expect_ok(file->write_at(at, byte));
  }
  PackedTree tree_;
};

TEST_F(ManyDirectoriesTest, AllAreFoundByPathAndLeadBack) {
  pack(true);
  const auto image = tree_.open();
  for (unsigned i = 0; i < kFanOut; ++i) {
    for (unsigned j = i % 7; j < kFanOut; j += 7) {
      const auto path = inner_path(i, j);
      const auto node = value_of(image->lookup(path));
      EXPECT_TRUE(format::is_directory(node.mode));
      EXPECT_EQ(value_of(image->path_of(node.inode)), path);
    }
  }
  EXPECT_EQ(value_of(image->lookup("")).link_count, 2 + kFanOut);
}

TEST_F(ManyDirectoriesTest, DamageOfEitherTableIsHealedByTheOtherCopy) {
  pack(true);
  damage(SectionKind::kDirectoryTable);
  damage(SectionKind::kPageDirectory);
  const auto image = tree_.open();
  EXPECT_EQ(value_of(image->path_of(value_of(image->lookup(inner_path(7, 9))).inode)),
            inner_path(7, 9));
}

TEST_F(ManyDirectoriesTest, DamageOfEitherTableIsTold) {
  for (const auto kind : {SectionKind::kDirectoryTable, SectionKind::kPageDirectory}) {
    tree_ = PackedTree();
    pack(false);
    damage(kind);
    const auto image = reader::Image::open(tree_.memory(), kImage);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(image.error().section(), format::section_name(kind));
  }
}

}  // namespace
}  // namespace dgfs::test
