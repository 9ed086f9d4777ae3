// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Objects without a name: how they are walked, and how verify checks them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr const char* kNamelessImage = "/t.dgfs";
constexpr const char* kNamelessIndex = "/t.dgfs.idx";

class NamelessObjects : public testing::Test {
 protected:
  NamelessObjects() {
    assembler_.incompat |= format::feature::kIncompatNamelessObjects;
    assembler_.next_inode = 100;
    assembler_.add_directory("d");
    assembler_.add_file("d/named", pattern(500, 1));
    // An object with two names has a record among those without one.
    for (const char* name : {"linked", "linked too"}) {
      auto& entry = assembler_.add(name, format::kTypeRegular);
      entry.mtime = {};
      entry.link_inode = 50;
    }
    assembler_.add_link_record(50, 0100644, 2);
  }
  // Its content follows from its number.
  void add_nameless(std::uint32_t inode) {
    Buffer extent;
    const auto content = pattern(900, inode);
    format::append_raw_extent(content, extent);
    const auto place = assembler_.place(0, extent);
    auto& record = assembler_.add_link_record(inode, 0100600, 0);
    record.size_bytes = content.size();
    record.stored_bytes = extent.size();
    record.address = place;
  }
  void write() {
    assembler_.write(*env_, kNamelessImage, kNamelessIndex, false);
    image_ = value_of(reader::Image::open(*env_, kNamelessImage));
  }
  std::vector<format::InodeNumber> walked(std::size_t max = SIZE_MAX) {
    std::vector<format::InodeNumber> objects;
    expect_ok(image_->walk_nameless([&](const reader::Node& node) {
      EXPECT_EQ(node.link_count, 0U);
      objects.push_back(node.inode);
      return objects.size() < max;
    }));
    return objects;
  }
  void flip(const std::string& path, std::uint64_t offset_bytes) {
    const auto file = value_of(env_->open(path, {storage::OpenOptions::Mode::kReadWrite}));
    Buffer byte(1);
    expect_ok(storage::read_exactly(*file, offset_bytes, byte));
    byte[0] ^= 1;
    expect_ok(file->write_at(offset_bytes, byte));
  }
  reader::VerifyReport verify() {
    reader::VerifyOptions options;
    options.jobs = 1;
    options.damaged_file = [&](const std::string& path, const Error&) { files_.push_back(path); };
    options.damaged_index = [&](const Error& error) { index_.push_back(error.message()); };
    return value_of(reader::verify(*value_of(reader::Image::open(*env_, kNamelessImage)), options));
  }

  ImageAssembler assembler_;
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::unique_ptr<const reader::Image> image_;
  std::vector<std::string> files_;
  std::vector<std::string> index_;
};

TEST_F(NamelessObjects, AreWalkedByRisingNumbers) {
  assembler_.entries_per_page = 3;  // so that their records take several pages
  for (const unsigned inode : {40U, 41U, 45U, 60U, 61U, 70U, 90U}) add_nameless(inode);
  write();
  EXPECT_EQ(walked(), (std::vector<format::InodeNumber>{40, 41, 45, 60, 61, 70, 90}));
  EXPECT_EQ(walked(5), (std::vector<format::InodeNumber>{40, 41, 45, 60, 61}));
  EXPECT_EQ(walked(1), (std::vector<format::InodeNumber>{40}));
  EXPECT_EQ(value_of(contents(*image_, value_of(image_->by_inode(61)))), pattern(900, 61));
}

TEST_F(NamelessObjects, OfAnImageWithoutThemNothingIsRead) {
  PackedTree tree;
  tree.file("a", "content");
  tree.link("a", "b");
  tree.pack();
  const auto image = tree.open();
  const auto before = tree.index_counts().reads + tree.image_counts().reads;
  expect_ok(image->walk_nameless([](const reader::Node&) {
    ADD_FAILURE();
    return true;
  }));
  EXPECT_EQ(tree.index_counts().reads + tree.image_counts().reads, before);
}

TEST_F(NamelessObjects, NoneMayBeThereInSpiteOfTheFeature) {
  write();
  EXPECT_TRUE(walked().empty());
  EXPECT_TRUE(verify().sound());
}

TEST_F(NamelessObjects, DamageOfTheirPagesIsToldAndSkipped) {
  assembler_.entries_per_page = 3;
  for (const unsigned inode : {40U, 41U, 45U, 60U, 61U, 70U, 90U}) add_nameless(inode);
  write();
  // The superblock comes before the pages; the last of these has the last objects.
  flip(kNamelessIndex, assembler_.pages().size() * format::kPageBytes + 60);
  image_ = value_of(reader::Image::open(*env_, kNamelessImage));
  std::vector<format::InodeNumber> objects;
  std::vector<Error> damaged;
  const auto visit = [&](const reader::Node& node) {
    objects.push_back(node.inode);
    return true;
  };
  const auto walk = image_->walk_nameless(visit, [&](const Error& error) {
    damaged.push_back(error);
    return true;
  });
  expect_ok(walk);
  EXPECT_FALSE(objects.empty());
  EXPECT_LT(objects.size(), 7U);
  EXPECT_EQ(objects.front(), 40U);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_EQ(damaged.front().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(image_->walk_nameless(visit)) << "without a function for damage it is an error";
}

TEST_F(NamelessObjects, DamageOfTheirContentsIsFound) {
  add_nameless(40);
  add_nameless(60);
  write();
  const auto sound = verify();
  EXPECT_TRUE(sound.sound());
  EXPECT_EQ(sound.files, 4U);
  const auto node = value_of(image_->by_inode(60));
  const auto place = value_of(image_->locate(node, 300));
  flip(kNamelessImage, place.offset_bytes);
  const auto report = verify();
  EXPECT_EQ(report.damaged_files, 1U);
  EXPECT_EQ(files_, std::vector<std::string>{"(object 60, which has no name)"});
  EXPECT_TRUE(index_.empty());
}

// F-027: bytes between extents are zeros. These are extents.
TEST_F(NamelessObjects, TheirContentsAreNoUnusedBytes) {
  add_nameless(40);
  add_nameless(60);
  const Buffer stray(700, 7);
  assembler_.place(0, stray);
  add_nameless(61);
  write();
  const auto report = verify();
  EXPECT_EQ(report.damaged_files, 0U);
  ASSERT_EQ(index_.size(), 1U) << "the stray bytes alone";
  EXPECT_NE(index_.front().find("unused bytes"), std::string::npos) << index_.front();
}

}  // namespace
}  // namespace dgfs::test
