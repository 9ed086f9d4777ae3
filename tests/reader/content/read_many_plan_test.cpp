// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// read_many() of more files, pages and wrong paths than it handles at once, with little memory, and
// stopped in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/header/section.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using reader::FilePiece;
using reader::Node;

constexpr int kFiles = 600;
// More files than read_many() sorts together.
constexpr std::size_t kManyFiles = 66'000;

class ReadManyPlanTest : public ::testing::Test {
 protected:
  // Packs an index page for each file.
  void SetUp() override {
    ImageAssembler assembler;
    assembler.entries_per_page = 1;
    for (int i = 0; i < kFiles; ++i) assembler.add_file(path(i), as_bytes(path(i)));
    assembler.write(*memory_, "/t.dgfs", "", true);
    image_ = value_of(reader::Image::open(*memory_, "/t.dgfs"));
  }
  static std::string path(int i) { return "f" + std::to_string(1000 + i); }

  // Each file has its path as its content.
  void expect_all(const std::vector<std::string>& paths) {
    std::vector<int> told(paths.size());
    image_->read_many(paths, [&](std::size_t index, const Result<FilePiece>& piece) {
      ++told[index];
      EXPECT_TRUE(piece && as_text(piece.value().bytes) == paths[index]) << index;
      return true;
    });
    EXPECT_EQ(told, std::vector<int>(paths.size(), 1));
  }
  // Each path gets one answer; only the last one is a file.
  template <class Asked>
  void expect_last(const std::vector<Asked>& asked) {
    std::vector<int> told(asked.size());
    std::vector<std::size_t> files;
    image_->read_many(asked, [&](std::size_t index, const Result<FilePiece>& piece) {
      ++told[index];
      if (piece) files.push_back(index);
      return true;
    });
    EXPECT_EQ(told, std::vector<int>(asked.size(), 1));
    EXPECT_EQ(files, std::vector<std::size_t>{asked.size() - 1});
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<const reader::Image> image_;
};

TEST_F(ReadManyPlanTest, MorePagesThanAreAnnounced) {
  std::vector<std::string> all;
  for (int i = 0; i < kFiles; ++i) all.push_back(path(i));
  expect_all(all);
  std::vector<std::string> apart;
  for (int i = 0; i < kFiles; i += 2) apart.push_back(path(i));
  std::reverse(apart.begin(), apart.end());
  expect_all(apart);
}

TEST_F(ReadManyPlanTest, MorePathsThanAreSorted) {
  std::vector<std::string> paths(kManyFiles, "nothing");
  paths.back() = path(3);
  expect_last(paths);
}

TEST_F(ReadManyPlanTest, MoreNodesThanAreSorted) {
  std::vector<Node> nodes(kManyFiles, value_of(image_->lookup("")));
  nodes.back() = value_of(image_->lookup(path(3)));
  expect_last(nodes);
}

TEST_F(ReadManyPlanTest, MoreWrongPathsThanARoundHas) {
  std::vector<std::string> paths(1000, "../outside");
  paths.push_back(path(1));
  std::size_t wrong = 0;
  std::size_t right = 0;
  image_->read_many(paths, [&](std::size_t index, const Result<FilePiece>& piece) {
    piece ? ++right : ++wrong;
    EXPECT_EQ(piece.has_value(), index == 1000);
    return true;
  });
  EXPECT_EQ(wrong, 1000U);
  EXPECT_EQ(right, 1U);
}

TEST_F(ReadManyPlanTest, NothingIsToldAfterTheEnd) {
  std::vector<std::string> paths(3, "../outside");
  std::size_t told = 0;
  const auto once = [&](std::size_t, const Result<FilePiece>&) { return ++told < 1; };
  image_->read_many(paths, once);
  EXPECT_EQ(told, 1U);
  // read_many() starts no further reads once memory is lacking.
  std::vector<Node> nodes;
  for (int i = 0; i < kFiles; ++i) nodes.push_back(value_of(image_->lookup(path(i))));
  reader::ReadManyOptions options;
  options.memory_bytes = 1;
  told = 0;
  const auto before = image_->counters().data_reads;
  image_->read_many(nodes, once, options);
  EXPECT_EQ(told, 1U);
  EXPECT_EQ(image_->counters().data_reads, before + 1);
}

// A file whose attributes are in a lost link record is lost; no other file is.
TEST(ReadManyLinks, WhoseRecordIsDamaged) {
  PackedTree tree;
  for (const auto* path : {"a", "b"}) tree.file(path, path);
  tree.link("b", "c");
  tree.pack();
  reader::OpenOptions options;
  options.page_cache_bytes = 0;
  const auto image = tree.open(options);
  const auto pages = image->superblock().section(format::SectionKind::kPages);
  for (const auto* path : {kImage, kIndex}) {
    const auto file = value_of(tree.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    const auto base = path == kIndex ? 0
                                     : value_of(file->size()) - format::kPageBytes -
                                           image->superblock().index_bytes;
    const Buffer junk(format::kPageBytes, 0xEE);  // the last page, which has the link records
    expect_ok(file->write_at(base + pages.offset_bytes + pages.length_bytes - junk.size(), junk));
  }
  const std::vector<std::string> paths = {"a", "b", "c"};
  std::vector<std::string> answers(paths.size());
  image->read_many(paths, [&](std::size_t index, const Result<FilePiece>& piece) {
    answers[index] = piece ? as_text(piece.value().bytes) : piece.error().section();
    return true;
  });
  EXPECT_EQ(answers, (std::vector<std::string>{"a", "pages", "pages"}));
}

}  // namespace
}  // namespace dgfs::test
