// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds with compression: the same tree comes out, with the same bytes for any number of threads.
#include <gtest/gtest.h>

#include "builder/train/dictionary_trainer.h"
#include "tests/builder/build_fixture.h"

namespace dgfs::test {
namespace {

std::string record(int i) {
  return R"({"kind":"record","number":)" +
         std::to_string(std::uint64_t{7919} * static_cast<std::uint64_t>(i)) +
         R"(,"state":"of no account","owner":"nobody in particular","tags":["a","b)" +
         std::to_string(i % 17) + "\"]}\n";
}

std::string records(int count, int seed) {
  std::string text;
  for (int i = 0; i < count; ++i) text += record(seed * 1000 + i);
  return text;
}

class CompressionTest : public BuildFixture {
 protected:
  builder::BuildOptions options() {
    auto options = options_for(tree_, "/i");
    options.compression = builder::Compression{3};
    return options;
  }
  /// Adds enough records for a dictionary of their own.
  void add_records() {
    tree_.directory("records");
    for (int i = 0; i < 1500; ++i) {
      tree_.file("records/" + std::to_string(i) + ".json", records(1 + i % 5, i));
    }
  }
};

TEST_F(CompressionTest, KeepsEverything) {
  make_feature_tree(tree_);
  add_records();
  tree_.file("text", records(2000, 1));
  tree_.file("large", records(90'000, 2) + noise(300'000, 7));
  tree_.sparse("few", std::uint64_t{1} << 28, 100'000'000, records(100, 3));
  tree_.sparse("more", std::uint64_t{1} << 28, 100'000'000, records(9000, 4));
  tree_.file("first", records(3, 5));
  tree_.link("first", "records/second");
  build(options_for(tree_, "/raw"));
  build(options());
  const auto raw = dump("/raw");
  const auto packed = dump("/i");
  ASSERT_EQ(packed.nodes.size(), raw.nodes.size());
  for (const auto& [path, node] : raw.nodes) {
    SCOPED_TRACE(path);
    const auto& other = packed.nodes.at(path);
    EXPECT_TRUE(other.content == node.content);
    EXPECT_EQ(other.inode, node.inode);
    EXPECT_EQ(other.entry.mode, node.entry.mode);
    EXPECT_EQ(other.entry.mtime, node.entry.mtime);
    EXPECT_EQ(other.xattrs, node.xattrs);
    EXPECT_EQ(other.target, node.target);
  }
  EXPECT_LT(packed.superblock.stored_bytes, raw.superblock.stored_bytes / 4);
  EXPECT_EQ(packed.superblock.incompat, format::feature::kIncompatZstdExtents);
  EXPECT_EQ(raw.superblock.incompat, 0U);
  for (const char* path : {"text", "large", "few", "more", "first", "records/7.json"}) {
    EXPECT_EQ(packed.nodes.at(path).entry.codec, format::ExtentCodec::kZstd) << path;
  }
  for (const char* path : {"frames", "frame", "empty", "hole", "sparse"}) {
    EXPECT_EQ(packed.nodes.at(path).entry.codec, format::ExtentCodec::kRaw) << path;
  }
}

TEST_F(CompressionTest, GivesTheSameBytesOnAnyNumberOfThreads) {
  add_records();
  tree_.file("large", records(90'000, 2));
  tree_.sparse("few", std::uint64_t{1} << 28, 100'000'000, records(100, 3));
  // The large batches hold the file whole, the small ones in pieces.
  tree_.file("middling", records(9000, 6));
  tree_.file("noise", noise(1'000'000, 8));
  tree_.file("noise around text", noise(500'000, 9) + records(4000, 7) + noise(500'000, 10));
  for (int i = 0; i < 40; ++i) tree_.file("t" + std::to_string(i), records(i * 60, i));
  build_with_any_threads(options());
}

// The model is made before any compression, and must not rate later values as rare.
TEST_F(CompressionTest, IndexesStaySmall) {
  constexpr int kFiles = 6000;
  const auto text = records(40, 1);
  for (int i = 0; i < kFiles; ++i) {
    const auto begin = static_cast<std::size_t>(i * 7919 % 1000);
    tree_.file("f" + std::to_string(i * 7919 % 100'000), text.substr(begin, 200 + begin));
  }
  auto raw = options_for(tree_, "/raw");
  auto packed = options();
  raw.token_entries_min = packed.token_entries_min = 1;
  raw.dedup = packed.dedup = false;
  const auto index_bytes = [&](const builder::BuildOptions& options) {
    return build(options).superblock.section(format::SectionKind::kPages).length_bytes;
  };
  // The stored size of a file takes about 8 bits, and its count of frames about 2.
  EXPECT_LT(index_bytes(packed), index_bytes(raw) + kFiles * 3 / 2);
  // A shared content costs an address.
  raw.dedup = true;
  raw.image_path = "/shared";
  EXPECT_LT(index_bytes(raw), index_bytes(packed) + kFiles * 3);
}

TEST_F(CompressionTest, TreesOfNoiseNeedNothingNew) {
  for (int i = 0; i < 50; ++i)
    tree_.file("n" + std::to_string(i), noise(5000, static_cast<std::uint64_t>(i)));
  build(options());
  const auto image = dump("/i");
  EXPECT_EQ(image.superblock.incompat, 0U);
  EXPECT_EQ(image.superblock.section(format::SectionKind::kDictionaries).length_bytes, 0U);
}

TEST_F(CompressionTest, SmallFilesGetDictionariesByClass) {
  add_records();
  for (int i = 0; i < 400; ++i) tree_.file(std::to_string(i), records(5, i) + "\n");
  const auto with = build(options());
  EXPECT_NE(dump("/i").superblock.section(format::SectionKind::kDictionaries).length_bytes, 0U);
  auto without = options();
  without.compression->dictionary_bytes_max = 0;
  without.image_path = "/j";
  const auto plain = build(without);
  EXPECT_EQ(dump("/j").superblock.section(format::SectionKind::kDictionaries).length_bytes, 0U);
  EXPECT_LT(with.superblock.stored_bytes, plain.superblock.stored_bytes * 2 / 3);
}

TEST_F(CompressionTest, RefusesImpossibleLevels) {
  tree_.file("f", "some words");
  auto wrong = options();
  for (const int level : {-1, 0, 23}) {
    for (const bool keep_going : {false, true}) {
      wrong.compression->level = level;
      wrong.keep_going = keep_going;
      const auto refused = builder::build(*env_, wrong);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalidArgument);
    }
  }
}

// A longer dictionary than the format allows would end the build.
TEST_F(CompressionTest, DictionariesAreAsLongAsTheyMayBe) {
  add_records();
  tree_.file("small.json", "{}");
  auto large = options();
  large.compression->dictionary_bytes_max = std::size_t{1} << 30;
  build(large);
  EXPECT_EQ(dump("/i").nodes.at("small.json").content, "{}");
}

}  // namespace
}  // namespace dgfs::test
