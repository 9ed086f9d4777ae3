// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images that use the volumes that another one has open, wherever their files are by now.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

class SharedVolumes : public testing::Test {
 protected:
  SharedVolumes() {
    for (int i = 0; i < 12; ++i) tree_.file(name_of(i), content_of(i));
    builder::BuildOptions options;
    options.volume_paths = {"/out/t.1", "/out/t.2"};
    options.volume_groups = builder::GroupLimits{1, 1 << 20};
    tree_.pack(options);
    expect_ok(tree_.memory().make_directory("/away", 0755));
  }
  static std::string name_of(int file) { return "f" + std::to_string(10 + file); }
  static std::string content_of(int file) {
    return std::string(2000, static_cast<char>('a' + file));
  }
  static Result<std::string> read(const reader::Image& image, int file) {
    DGFS_TRY(node, image.lookup(name_of(file)));
    DGFS_TRY(bytes, contents(image, node));
    return std::string(as_text(bytes));
  }
  // Some file of a volume.
  int file_in(format::VolumeNumber volume) {
    const auto image = tree_.open();
    for (int i = 0; i < 12; ++i) {
      if (value_of(image->lookup(name_of(i))).data.volume == volume) return i;
    }
    ADD_FAILURE() << volume;
    return 0;
  }
  void take_volumes_away() {
    for (const std::string name : {"t.1", "t.2"}) {
      expect_ok(tree_.memory().rename("/out/" + name, "/away/" + name));
    }
  }
  std::unique_ptr<const reader::Image> open_beside(const reader::Image* other) {
    reader::OpenOptions options;
    options.shares_volumes_of = other;
    return tree_.open(options);
  }

  PackedTree tree_;
};

TEST_F(SharedVolumes, AreReadAfterTheirFilesWereRenamedAway) {
  const int file = file_in(1);
  auto first = tree_.open();
  EXPECT_EQ(value_of(read(*first, file)), content_of(file));
  take_volumes_away();
  EXPECT_FALSE(read(*open_beside(nullptr), file));
  const auto second = open_beside(first.get());
  EXPECT_EQ(value_of(read(*second, file)), content_of(file));
  first = nullptr;
  for (int i = 0; i < 12; ++i) {
    if (value_of(second->lookup(name_of(i))).data.volume != 1) continue;
    EXPECT_EQ(value_of(read(*second, i)), content_of(i)) << "the other image is closed";
  }
}

TEST_F(SharedVolumes, AreThoseThatTheOtherHasOpen) {
  const int there = file_in(1);
  const int absent = file_in(2);
  const auto first = tree_.open();
  static_cast<void>(value_of(read(*first, there)));
  take_volumes_away();
  const auto second = open_beside(first.get());
  EXPECT_EQ(value_of(read(*second, there)), content_of(there));
  EXPECT_EQ(read(*second, absent).error().kind(), ErrorKind::kNotFound);
}

TEST_F(SharedVolumes, OfAnotherImageAreNotTakenForItsOwn) {
  const int file = file_in(1);
  const auto first = tree_.open();
  for (int i = 0; i < 12; ++i) static_cast<void>(value_of(read(*first, i)));
  take_volumes_away();
  PackedTree other;
  for (int i = 0; i < 12; ++i) other.file(name_of(i), "of the other image");
  builder::BuildOptions options;
  options.volume_paths = {"/out/t.1", "/out/t.2"};
  options.volume_groups = builder::GroupLimits{1, 1 << 20};
  other.pack(options);
  reader::OpenOptions shares;
  shares.shares_volumes_of = first.get();
  const auto image = other.open(shares);
  EXPECT_EQ(value_of(read(*image, file)), "of the other image");
}

}  // namespace
}  // namespace dgfs::test
