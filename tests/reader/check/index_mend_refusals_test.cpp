// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cases that mending an index refuses, or leaves as they are, and pieces that it takes from files
// that no longer open.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "format/limits.h"
#include "reader/check/index_mend.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

class IndexMendRefusals : public ::testing::Test {
 protected:
  // Makes two files with the same xattrs, and one with others.
  void SetUp() override {
    for (const auto* name : {"a", "b", "c"}) {
      tree_.file(name, name);
      const auto* const value = *name == 'c' ? "other" : "the same";
      expect_ok(tree_.parent(name)->set_xattr(name, "user.note", as_bytes(value)));
    }
    tree_.pack();
    image_ = read_file(tree_.memory(), kImage);
    index_ = read_file(tree_.memory(), kIndex);
    taken_ = TakenImage(image_);
    trailing_ = value_of(format::decode_volume_header(Bytes(image_).first(format::kPageBytes)))
                    .index_offset;
  }

  // Writes /t.dgfs and, unless it is empty, /t.dgfs.idx.
  void put(const Buffer& image, const Buffer& index) {
    memory_ = storage::make_memory_env(1);
    write_file(*memory_, "/t.dgfs", image);
    if (!index.empty()) write_file(*memory_, "/t.dgfs.idx", index);
  }
  Result<reader::MendReport> mend() {
    told_.clear();
    mending_.damaged = [this](const Error& error) { told_.push_back(error.code()); };
    return reader::mend_index(*memory_, "/t.dgfs", {}, mending_);
  }
  void expect_files(const Buffer& image, const Buffer& index) {
    EXPECT_EQ(read_file(*memory_, "/t.dgfs"), image);
    const auto is_there = memory_->status("/t.dgfs.idx").has_value();
    EXPECT_EQ(is_there, !index.empty());
    if (is_there) {
      EXPECT_EQ(read_file(*memory_, "/t.dgfs.idx"), index);
    }
  }
  void expect_refused(std::uint16_t code, ErrorKind kind) {
    const auto mended = mend();
    ASSERT_FALSE(mended);
    EXPECT_EQ(mended.error().code(), code) << mended.error().message();
    EXPECT_EQ(mended.error().kind(), kind);
  }
  // An index with a changed superblock whose checksum is right.
  template <class Change>
  static void change_superblock(MutableBytes index, const Change& change) {
    const auto page = index.first(format::kPageBytes);
    auto superblock = value_of(format::decode_superblock(page));
    change(superblock);
    const auto changed = format::encode_superblock(superblock);
    std::copy(changed.begin(), changed.end(), page.begin());
  }

  PackedTree tree_;
  Buffer image_;
  Buffer index_;
  std::size_t trailing_ = 0;  // begin of the copy in the image
  TakenImage taken_;
  std::unique_ptr<storage::MemoryEnv> memory_;
  reader::MendOptions mending_;
  std::vector<std::uint16_t> told_;
};

// F-014
TEST_F(IndexMendRefusals, WhatANewerVersionMade) {
  auto feature = taken_;
  feature.superblock.ro_compat |= std::uint64_t{1} << 60;
  auto version = taken_;
  ++version.superblock.version_minor;
  for (const auto* taken : {&feature, &version}) {
    const auto image = taken->image();
    put(image, {});
    expect_refused(3178, ErrorKind::kUnsupported);
    expect_files(image, {});
  }
}

TEST_F(IndexMendRefusals, WhenAskedToStop) {
  put(image_, {});
  std::atomic<bool> stop = true;
  mending_.stop = &stop;
  expect_refused(3171, ErrorKind::kInterrupted);
  expect_files(image_, {});
  stop = false;
  EXPECT_TRUE(value_of(mend()).was_missing);
  expect_files(image_, index_);
}

// An index without an identity is reported, and made anew from the copy in the image.
TEST_F(IndexMendRefusals, AnIndexThatDoesNotSayWhoseItIs) {
  auto nobodys = index_;
  std::fill_n(nobodys.begin(), format::kPageBytes, std::uint8_t{0});
  for (const bool tells : {true, false}) {
    put(image_, nobodys);
    const auto report =
        tells ? value_of(mend()) : value_of(reader::mend_index(*memory_, "/t.dgfs", {}, {}));
    EXPECT_TRUE(report.was_missing);
    EXPECT_TRUE(report.is_written);
    EXPECT_FALSE(report.image_error);
    expect_files(image_, index_);
  }
  EXPECT_EQ(told_.size(), 1U);
}

// Nothing tells which one is right: the image keeps its own copy.
TEST_F(IndexMendRefusals, ACopyInTheImageThatIsOfAnotherBuild) {
  auto other = index_;
  change_superblock(other, [](auto& superblock) { ++superblock.next_inode; });
  put(image_, other);
  const auto report = value_of(mend());
  EXPECT_FALSE(report.is_written);
  ASSERT_TRUE(report.image_error);
  EXPECT_EQ(report.image_error->code(), 3003);
  EXPECT_EQ(told_, std::vector<std::uint16_t>{3003});
  expect_files(image_, other);
}

TEST_F(IndexMendRefusals, AnImageThatIsCutInItsCopy) {
  auto cut = image_;
  cut.resize(trailing_ + 2 * format::kPageBytes);
  put(cut, index_);
  const auto report = value_of(mend());
  EXPECT_FALSE(report.is_written);
  EXPECT_GT(report.image_pieces, 0U);
  ASSERT_TRUE(report.image_error);
  EXPECT_EQ(report.image_error->code(), 3179);
  expect_files(cut, index_);
}

// The header of the image vouches for the rest of its copy.
TEST_F(IndexMendRefusals, ASoundSuperblockOfAnotherImageIsReplaced) {
  auto foreign = image_;
  change_superblock(MutableBytes(foreign).subspan(trailing_),
                    [](auto& superblock) { superblock.uuid.fill(0x33); });
  put(foreign, index_);
  const auto report = value_of(mend());
  EXPECT_FALSE(report.is_written);
  EXPECT_EQ(report.image_pieces, 1U);
  EXPECT_FALSE(report.image_error);
  EXPECT_EQ(told_, std::vector<std::uint16_t>{3173});
  expect_files(image_, index_);
}

// A record outside its section belongs to no copy.
TEST_F(IndexMendRefusals, RecordsOutsideTheirSectionAreLeftAlone) {
  const auto whole = taken_.raw(SectionKind::kXattrs).size();
  for (const auto bytes : {whole - 1, std::size_t{4}}) {
    auto taken = taken_;
    taken.raw(SectionKind::kXattrs).resize(bytes);
    put(taken.image(), {});
    EXPECT_TRUE(value_of(mend()).was_missing) << bytes;
    EXPECT_TRUE(told_.empty()) << bytes;
    expect_files(taken.image(), taken.index());
  }
}

TEST_F(IndexMendRefusals, ARecordOfTwoFilesIsToldOfOnce) {
  auto damaged = index_;
  damaged[taken_.superblock.section(SectionKind::kXattrs).offset_bytes] ^= 1;
  put(image_, damaged);
  const auto report = value_of(mend());
  EXPECT_EQ(report.index_pieces, 1U);
  EXPECT_EQ(told_.size(), 1U);
  expect_files(image_, index_);
}

// In both copies the section is shorter than the header of a block.
TEST_F(IndexMendRefusals, ASectionThatEndsInsideABlock) {
  auto taken = taken_;
  taken.raw(SectionKind::kPageRoot).resize(5);
  const auto image = taken.image();
  const auto index = taken.index();
  put(image, index);
  expect_refused(3176, ErrorKind::kCorrupt);
  EXPECT_EQ(told_, std::vector<std::uint16_t>{2500});
  expect_files(image, index);
}

}  // namespace
}  // namespace dgfs::test
