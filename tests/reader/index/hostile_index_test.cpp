// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Small sections that would decode to more than memory holds: the reader refuses them before that.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/coding.h"
#include "format/entry/attribute_table.h"
#include "format/entry/key.h"
#include "format/header/section.h"
#include "format/header/superblock.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page/directory.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

class HostileIndex : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.file("a", "content");
    tree_.directory("b");
    tree_.pack();
    index_ = read_file(tree_.memory(), kIndex);
    superblock_ = value_of(format::decode_superblock(Bytes(index_).first(format::kPageBytes)));
  }

  // Adds a section at the end, and lets the section table refer to it.
  void replace(SectionKind kind, const Buffer& bytes) {
    auto& place = superblock_.sections[static_cast<std::size_t>(kind)];
    place = {kind, index_.size(), bytes.size()};
    index_.insert(index_.end(), bytes.begin(), bytes.end());
    index_.resize((index_.size() + format::kPageBytes - 1) / format::kPageBytes *
                  format::kPageBytes);
  }
  void replace_blocks(SectionKind kind, const std::vector<Buffer>& bodies) {
    Buffer bytes;
    for (const auto& body : bodies) format::seal_block(kind, body, bytes);
    EXPECT_LT(bytes.size(), std::size_t{4} << 20) << "the forged section is not small";
    replace(kind, bytes);
  }
  // Opens the index alone.
  Result<std::unique_ptr<const reader::Image>> open() {
    superblock_.index_bytes = index_.size();
    const auto page = format::encode_superblock(superblock_);
    std::copy(page.begin(), page.end(), index_.begin());
    env_ = storage::make_memory_env(1);
    write_file(*env_, "/t.idx", index_);
    return reader::Image::open(*env_, "/t.idx");
  }
  void expect_error(ErrorKind kind, std::uint16_t code, const char* section) {
    const auto opened = open();
    ASSERT_FALSE(opened);
    const auto& error = opened.error();
    EXPECT_EQ(error.kind(), kind) << error.message();
    EXPECT_EQ(error.code(), code) << error.message();
    EXPECT_EQ(error.section(), section);
  }

  PackedTree tree_;
  Buffer index_;
  format::Superblock superblock_;
  std::unique_ptr<storage::MemoryEnv> env_;
};

// Blocks of records with long bounds that differ in their last bytes only.
std::vector<Buffer> page_blocks(std::size_t blocks, std::size_t bound_bytes) {
  std::vector<Buffer> bodies;
  std::uint64_t next = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::vector<format::PageRecord> records(format::kPageDirectoryBlockRecords);
    for (auto& record : records) {
      record.prefix = std::string(bound_bytes - 8, 'x') + format::link_key(next);
      record.first_ordinal = next++;
      record.entry_count = 1;
    }
    bodies.push_back(format::encode_page_block(records));
  }
  return bodies;
}

TEST_F(HostileIndex, MorePageRecordsThanPages) {
  replace_blocks(SectionKind::kPageDirectory, page_blocks(3, 100));
  expect_error(ErrorKind::kCorrupt, 3024, "page directory");
}

TEST_F(HostileIndex, FewerPageRecordsThanPages) {
  replace_blocks(SectionKind::kPageDirectory, {format::encode_page_block({})});
  expect_error(ErrorKind::kCorrupt, 3014, "page directory");
}

TEST_F(HostileIndex, PageRecordsWithHugeBounds) {
  constexpr std::size_t kBlocks = 3;
  constexpr std::size_t kPages = kBlocks * format::kPageDirectoryBlockRecords;
  replace(SectionKind::kPages, Buffer(kPages * format::kPageBytes));
  superblock_.namespace_entries = kPages;
  superblock_.next_inode = kPages + 1;
  replace_blocks(SectionKind::kPageDirectory, page_blocks(kBlocks, 65535));
  expect_error(ErrorKind::kLimit, 3023, "page directory");
}

TEST_F(HostileIndex, ManyLargeModels) {
  std::vector<Buffer> samples;
  for (std::uint32_t i = 0; i < 200; ++i) samples.push_back(pattern(200, i % 20));
  const auto model = value_of(format::Model::train(1, samples, 4096));
  ASSERT_EQ(model->kind(), format::ModelKind::kZstdDictionary);
  std::vector<Buffer> bodies;
  for (std::uint16_t id = 1; id < 80; ++id) {
    format::Encoder encoder(bodies.emplace_back());
    encoder.fixed(id);
    encoder.fixed(static_cast<std::uint8_t>(model->kind()));
    encoder.raw(model->bytes());
    bodies.back().resize(3 + format::kModelBytesMax, 'x');
  }
  replace_blocks(SectionKind::kModels, bodies);
  expect_error(ErrorKind::kLimit, 3023, "models");
}

TEST_F(HostileIndex, ManyLargeAttributeTables) {
  std::vector<Buffer> bodies;
  for (std::uint16_t id = 0; id < 20; ++id) {
    format::AttributeTable table(id);
    for (std::uint32_t uid = 0; uid < format::kAttributeTableEntriesMax; ++uid) {
      ASSERT_TRUE(table.intern({0100644, uid, 0}));
    }
    table.encode(bodies.emplace_back());
  }
  replace_blocks(SectionKind::kAttributeTables, bodies);
  expect_error(ErrorKind::kLimit, 3023, "attribute tables");
}

// After two blocks, more than one read, comes a wrong one: the error gives its place.
TEST_F(HostileIndex, SmallBlocksAndThenNone) {
  Buffer section;
  for (std::uint16_t id = 1; id < 3; ++id) {
    format::AttributeTable table(id);
    ASSERT_TRUE(table.intern({0100644, id, 0}));
    Buffer body;
    table.encode(body);
    format::seal_block(SectionKind::kAttributeTables, body, section);
  }
  const auto place = index_.size() + section.size();
  section.resize(section.size() + (std::size_t{17} << 20));
  replace(SectionKind::kAttributeTables, section);
  expect_error(ErrorKind::kCorrupt, 2503, "attribute tables");
  EXPECT_EQ(open().error().offset(), place + 16);  // the field of the block's kind
}

TEST_F(HostileIndex, MoreInodeRunsThanEntries) {
  Buffer body;
  format::Encoder encoder(body);
  encoder.varint(4);
  for (const std::uint64_t first : {1U, 2U, 3U, 4U}) {
    encoder.varint(first);
    encoder.varint(1);
  }
  replace_blocks(SectionKind::kInodeRuns, {body});
  expect_error(ErrorKind::kCorrupt, 2688, "inode runs");
}

// Pages of zeros claim 2.6 million entries, and a small block has a run for each.
TEST_F(HostileIndex, ManyInodeRuns) {
  constexpr std::uint64_t kPages = 160;
  constexpr std::uint64_t kRuns = kPages * format::kPageEntriesMax;
  replace(SectionKind::kPages, Buffer(kPages * format::kPageBytes));
  superblock_.namespace_entries = kRuns;
  superblock_.next_inode = kRuns + 1;
  std::vector<format::PageRecord> records(kPages);
  for (std::uint64_t page = 0; page < kPages; ++page) {
    records[page].prefix = page == 0 ? std::string() : format::link_key(page);
    records[page].first_ordinal = page * format::kPageEntriesMax;
    records[page].entry_count = format::kPageEntriesMax;
  }
  replace_blocks(SectionKind::kPageDirectory, {format::encode_page_block(records)});
  Buffer lists;
  format::encode_directory_list(lists, kRuns - 1, std::vector<std::uint64_t>{1});
  format::encode_directory_list(lists, 0, {});
  replace_blocks(SectionKind::kDirectoryTable, {lists});
  Buffer body;
  format::Encoder encoder(body);
  encoder.varint(kRuns);
  body.resize(body.size() + 2 * kRuns, 1);  // inode 1, one entry, again and again
  replace_blocks(SectionKind::kInodeRuns, {body});
  expect_error(ErrorKind::kLimit, 3023, "inode runs");
}

TEST_F(HostileIndex, MoreVolumesThanNumbers) {
  Buffer body;
  format::Encoder encoder(body);
  encoder.varint(65537);
  body.resize(body.size() + 3 * 65537);
  replace_blocks(SectionKind::kVolumes, {body});
  expect_error(ErrorKind::kCorrupt, 3022, "volumes");
}

TEST_F(HostileIndex, ASecondBlockWhereOneBelongs) {
  Buffer body;
  superblock_.next_inode = 100;
  value_of(format::InodeRuns::make({{1, 0, 3}}, 3)).encode(body);
  replace_blocks(SectionKind::kInodeRuns, {body, body});
  expect_error(ErrorKind::kCorrupt, 3025, "inode runs");
}

TEST_F(HostileIndex, DirectoriesWithoutEnd) {
  Buffer body;  // an empty list for each of a million directories that no other list names
  format::encode_directory_list(body, 1, {});
  body.resize(std::size_t{2} << 20);
  replace_blocks(SectionKind::kDirectoryTable, {body});
  expect_error(ErrorKind::kCorrupt, 2640, "directory table");
}

// A directory table that lists other entries as directories than the pages do.
class WrongDirectories : public HostileIndex {
 protected:
  std::unique_ptr<const reader::Image> open_with(const std::vector<std::uint64_t>& positions) {
    Buffer body;
    format::encode_directory_list(body, 2, positions);
    for (std::size_t i = 0; i < positions.size(); ++i) format::encode_directory_list(body, 0, {});
    replace_blocks(SectionKind::kDirectoryTable, {body});
    return value_of(open());
  }
  static std::vector<std::uint16_t> page_findings(const reader::Image& image) {
    std::vector<std::uint16_t> codes;
    expect_ok(image.verify_index([&](const Error& error) {
      if (error.section() == "pages") codes.push_back(error.code());
    }));
    return codes;
  }
};

TEST_F(WrongDirectories, NoneIsSound) {
  const auto image = open_with({1});
  EXPECT_TRUE(image->lookup("b"));
  EXPECT_TRUE(page_findings(*image).empty());
}

TEST_F(WrongDirectories, ADirectoryThatTheTableLacks) {
  const auto image = open_with({});
  const auto node = image->lookup("b");
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(node.error().code(), 3064);
  EXPECT_TRUE(image->lookup("a"));
  EXPECT_EQ(page_findings(*image), std::vector<std::uint16_t>{3042});
}

TEST_F(WrongDirectories, AFileThatTheTableCallsADirectory) {
  const auto image = open_with({0, 1});
  EXPECT_EQ(value_of(image->lookup("a")).size_bytes, 7U);
  EXPECT_EQ(page_findings(*image), std::vector<std::uint16_t>{3042});
}

}  // namespace
}  // namespace dgfs::test
