// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pages of the token codec with changed bits and right checksums. They are decoded a block at a
// time, so a lookup may meet an error that opening the page did not. It then fails with the page's
// place, or answers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/limits.h"
#include "format/page/header.h"
#include "format/page_open.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

class ForgedTokenPages : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* folder : {"d", "d/sub", "e"}) tree_.directory(folder);
    for (int i = 100; i < 260; ++i) {
      tree_.file("d/file" + std::to_string(i * 37 % 1000), pattern(9, 1));
      tree_.file("d/sub/n" + std::to_string(i), "x");
    }
    tree_.link("d/sub/n100", "e/linked");
    for (int i = 110; i < 130; ++i) {
      const auto number = std::to_string(i);
      tree_.link("d/sub/n" + number, "e/linked" + number);
    }
    tree_.symlink("e/short", "target");
    builder::BuildOptions options;
    options.token_entries_min = 1;
    options.index_path = "";
    tree_.pack(options);
    taken_ = TakenImage(read_file(tree_.memory(), kImage));
  }

  // Asks in every way; returns how often this failed.
  std::size_t ask(const reader::Image& image) {
    std::size_t failures = 0;
    const auto check = [&](const auto& result) {
      if (result) return;
      const auto& error = result.error();
      if (error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kNotDirectory) return;
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt) << error.message();
      EXPECT_EQ(error.section(), "pages") << error.message();
      ++failures;
    };
    for (const auto* path : {"d", "d/file700", "d/sub/n100", "d/sub/n170", "e/linked", "e/short"}) {
      check(image.lookup(path));
    }
    for (format::InodeNumber inode = 1; inode < 326; inode += 9) {
      check(image.by_inode(inode));
      check(image.path_of(inode));
    }
    for (format::InodeNumber directory = 1; directory < 5; ++directory) {
      for (const auto* name : {"file700", "n100", "n259", "linked", "..", "absent"}) {
        check(image.lookup(directory, name));
      }
      check(image.list_nodes(directory, 0, [](const auto&, const auto&) { return true; }));
    }
    check(image.walk("", [](auto, const auto&) { return true; }));
    check(image.measure_pages([](const auto&) { return true; }));
    return failures;
  }

  PackedTree tree_;
  TakenImage taken_;
};

TEST_F(ForgedTokenPages, FailAtTheirPlaceOrAnswer) {
  const auto sound = value_of(reader::Image::open(tree_.memory(), kImage));
  ASSERT_EQ(ask(*sound), 0U);
  const auto pages = taken_.pages().size() / format::kPageBytes;
  std::size_t images = 0;
  std::size_t failures = 0;
  for (std::size_t page = 0; page < pages; ++page) {
    const auto begin = page * format::kPageBytes;
    for (std::size_t at = format::kPageHeaderBytes; at < format::kPageBytes; ++at) {
      auto taken = taken_;
      auto& byte = taken.pages()[begin + at];
      if (byte == 0) continue;  // mostly from behind the payload
      byte ^= static_cast<std::uint8_t>(1U << at % 8);
      taken.reseal_page(page);
      const auto env = storage::make_memory_env(1);
      write_file(*env, "/a", taken.image());
      const auto image = reader::Image::open(*env, "/a");
      if (!image) continue;
      failures += ask(*image.value()) != 0 ? 1U : 0U;
      ++images;
    }
  }
  EXPECT_GT(images, 100U);
  EXPECT_GT(failures, images / 4);
}

// No object has an inode number between those of link records, or beyond them.
TEST_F(ForgedTokenPages, NumbersWithoutARecord) {
  const auto image = value_of(reader::Image::open(tree_.memory(), kImage));
  EXPECT_EQ(image->by_inode(0).error().kind(), ErrorKind::kNotFound);
  const auto linked = value_of(image->lookup("e/linked"));
  EXPECT_EQ(value_of(image->by_inode(linked.inode)).inode, linked.inode);
  for (format::InodeNumber inode = linked.inode + 500; inode < linked.inode + 503; ++inode) {
    EXPECT_EQ(image->by_inode(inode).error().kind(), ErrorKind::kNotFound);
  }
}

}  // namespace
}  // namespace dgfs::test
