// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds whose small files share frames: which files do, and that the same tree comes back.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "builder/read/fragment_groups.h"
#include "format/entry/mode.h"
#include "tests/builder/build_fixture.h"

namespace dgfs::test {
namespace {

using builder::FragmentGroups;

constexpr std::size_t kFrame = std::size_t{16} << 10;

builder::ScannedEntry scanned(std::uint64_t size_bytes) {
  builder::ScannedEntry entry;
  entry.mode = format::kTypeRegular | 0644;
  entry.size_bytes = size_bytes;
  return entry;
}

TEST(FragmentGroupsTest, HoldNoMoreThanAFrame) {
  FragmentGroups groups(kFrame);
  const auto quarter = scanned(kFrame / 4);
  for (std::uint64_t group = 1; group <= 3; ++group) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(groups.join(quarter), group);
  }
  groups.end();
  EXPECT_EQ(groups.join(scanned(1)), 4U);
}

TEST(FragmentGroupsTest, EndAfterManyRecords) {
  FragmentGroups groups(kFrame);
  const auto tiny = scanned(1);
  EXPECT_EQ(groups.join(tiny), 1U);
  for (std::size_t i = 2; i < FragmentGroups::kRecordsMax; ++i) groups.pass(50);
  EXPECT_TRUE(groups.has_room(tiny));
  EXPECT_EQ(groups.join(tiny), 1U);
  EXPECT_FALSE(groups.has_room(tiny));
  groups.pass(50);
  EXPECT_FALSE(groups.is_open());
  EXPECT_EQ(groups.join(tiny), 2U);
  groups.pass(FragmentGroups::kRecordBytesMax + 1);
  EXPECT_FALSE(groups.is_open());
}

TEST(FragmentGroupsTest, TakeSmallFilesOfOneNameAlone) {
  const FragmentGroups groups(kFrame);
  EXPECT_TRUE(groups.may_join(scanned(kFrame / 4), 100));
  EXPECT_FALSE(groups.may_join(scanned(kFrame / 4 + 1), 100));
  EXPECT_FALSE(groups.may_join(scanned(1), FragmentGroups::kRecordBytesMax + 1));
  auto linked = scanned(1);
  linked.flags |= builder::kRecordMultiplyLinked;
  EXPECT_FALSE(groups.may_join(linked, 100));
  EXPECT_FALSE(FragmentGroups(0).may_join(scanned(1), 100));
}

std::string letter(int i, std::size_t bytes) {
  std::string text = "Dear reader number " + std::to_string(i * 7919) + ",\n";
  while (text.size() < bytes) text += "this is to tell you once more what we told the others.\n";
  return text.substr(0, bytes);
}

class FragmentBuildTest : public BuildFixture {
 protected:
  builder::BuildOptions options(const std::string& image = "/i") {
    auto options = options_for(tree_, image);
    options.compression = builder::Compression{3};
    options.compression->fragment_frame_bytes = kFrame;
    return options;
  }
  static std::string name_of(const std::string& directory, int i) {
    return directory + "/" + std::to_string(1000 + i);
  }
  void add_letters(const std::string& directory, int count) {
    tree_.directory(directory);
    for (int i = 0; i < count; ++i) {
      tree_.file(name_of(directory, i), letter(i, 300 + static_cast<std::size_t>(i) * 37 % 900));
    }
  }
  void expect_as_raw(const ImageDump& framed) {
    build(options_for(tree_, "/raw"));
    const auto raw = dump("/raw");
    ASSERT_EQ(framed.nodes.size(), raw.nodes.size());
    for (const auto& [path, node] : raw.nodes) {
      EXPECT_TRUE(framed.nodes.at(path).content == node.content) << path;
      EXPECT_EQ(framed.nodes.at(path).inode, node.inode) << path;
    }
  }
};

TEST_F(FragmentBuildTest, NeighboursShareFrames) {
  make_feature_tree(tree_);
  add_letters("mail", 300);
  const auto report = build(options());
  const auto image = dump("/i");
  expect_as_raw(image);
  EXPECT_NE(image.superblock.incompat & format::feature::kIncompatFragmentFrames, 0U);
  std::map<std::pair<format::VolumeNumber, std::uint64_t>, std::size_t> frames;
  for (int i = 0; i < 300; ++i) {
    const auto& node = image.nodes.at(name_of("mail", i));
    ASSERT_TRUE(node.entry.fragment_offset) << i;
    ++frames[{node.volume, node.data_offset}];
  }
  EXPECT_LT(frames.size(), 20U);
  EXPECT_EQ(report.superblock.stored_bytes, image.superblock.stored_bytes);
  // Without dictionaries, which may hold all letters, sharing saves more than half of the bytes
  // that the letters, 100 bytes each, take alone.
  auto shared = options("/shared");
  auto alone = options("/alone");
  shared.compression->dictionary_bytes_max = alone.compression->dictionary_bytes_max = 0;
  alone.compression->fragment_frame_bytes = 0;
  EXPECT_LT(build(shared).superblock.stored_bytes + 300 * 50, build(alone).superblock.stored_bytes);
  EXPECT_EQ(dump("/alone").superblock.incompat & format::feature::kIncompatFragmentFrames, 0U);
}

TEST_F(FragmentBuildTest, WhatIsNotSmallAndPlainStandsAlone) {
  constexpr std::size_t kLargeFrame = std::size_t{64} << 10;
  tree_.file("a", letter(1, 500));
  tree_.file("b", letter(2, 500));
  tree_.file("c too large", letter(3, kLargeFrame / 4 + 1));
  tree_.file("d", letter(4, 500));
  tree_.file("e has two names", letter(5, 500));
  tree_.link("e has two names", "f");
  tree_.sparse("g has holes", kLargeFrame / 4, 8192, letter(6, 500));
  tree_.file("h", letter(7, 500));
  tree_.file("i empty", "");
  tree_.symlink("j", "a");
  tree_.file("k", letter(8, 500));
  auto large = options();
  large.compression->fragment_frame_bytes = kLargeFrame;
  build(large);
  const auto image = dump("/i");
  expect_as_raw(image);
  std::set<std::string> framed;
  for (const auto& [path, node] : image.nodes) {
    if (node.entry.fragment_offset) framed.insert(path);
  }
  EXPECT_EQ(framed, (std::set<std::string>{"a", "b", "h", "k"}));
  EXPECT_EQ(image.nodes.at("a").data_offset, image.nodes.at("b").data_offset);
  EXPECT_EQ(image.nodes.at("h").data_offset, image.nodes.at("k").data_offset);
}

TEST_F(FragmentBuildTest, NoiseIsStoredAsItIs) {
  for (int i = 0; i < 60; ++i) {
    tree_.file(std::to_string(100 + i), noise(700, static_cast<std::uint64_t>(i)));
  }
  build(options());
  const auto image = dump("/i");
  expect_as_raw(image);
  EXPECT_EQ(image.superblock.incompat, 0U);
}

// A shared frame is a content like others: a second tree with the same neighbours shares it.
TEST_F(FragmentBuildTest, EqualFramesAreStoredOnce) {
  add_letters("first", 200);
  tree_.file("first/zz ends a frame", letter(200, kFrame));
  auto alike = options();
  alike.compression->dictionary_bytes_max = 0;  // a dictionary would depend on all files
  const auto once = build(alike);
  add_letters("second", 200);
  const auto twice = build(alike);
  const auto image = dump("/i");
  expect_as_raw(image);
  EXPECT_EQ(twice.superblock.stored_bytes, once.superblock.stored_bytes);
  EXPECT_EQ(twice.shared_files, 200U);
  EXPECT_EQ(twice.shared_bytes, once.superblock.stored_bytes -
                                    image.nodes.at("first/zz ends a frame").entry.stored_bytes);
  const auto& node = image.nodes.at(name_of("second", 77));
  EXPECT_EQ(node.data_offset, image.nodes.at(name_of("first", 77)).data_offset);
}

// A single file may have the same content as a shared frame, and the reverse.
TEST_F(FragmentBuildTest, AFileMayBeWhatAFrameIs) {
  tree_.directory("a");
  tree_.file("a/1", letter(1, 3000));
  tree_.file("a/2", letter(2, 3000));
  tree_.file("b", letter(1, 3000) + letter(2, 3000));
  tree_.directory("c");
  tree_.file("c/1", letter(1, 3000));
  tree_.file("c/2", letter(2, 3000));
  tree_.file("d", noise(6000, 1));
  tree_.directory("e");
  tree_.file("e/1", noise(6000, 1).substr(0, 3000));
  tree_.file("e/2", noise(6000, 1).substr(3000));
  build(options());
  expect_as_raw(dump("/i"));
}

TEST_F(FragmentBuildTest, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (int d = 0; d < 4; ++d) add_letters("d" + std::to_string(d), 700);
  tree_.directory("e");
  for (int i = 0; i < 3000; ++i)
    tree_.file(name_of("e", i), letter(i, 1 + static_cast<std::size_t>(i) % 5));
  tree_.file("f", letter(1, 3'000'000));
  build_with_any_threads(options());
  expect_as_raw(dump("/i"));
}

TEST_F(FragmentBuildTest, IndexesStaySmall) {
  add_letters("mail", 5000);
  auto framed = options();
  auto raw = options_for(tree_, "/raw");
  framed.token_entries_min = raw.token_entries_min = 1;
  const auto index_bytes = [&](const builder::BuildOptions& options) {
    return build(options).superblock.section(format::SectionKind::kPages).length_bytes;
  };
  // Most entries continue the frame of the entry before and take no byte; a new page may begin.
  EXPECT_LE(index_bytes(framed), index_bytes(raw) + 5000 / 2 + format::kPageBytes);
  expect_as_raw(dump("/i"));
}

TEST_F(FragmentBuildTest, RefusesImpossibleFrames) {
  tree_.file("f", "some words");
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4095}, std::size_t{65537}}) {
    auto wrong = options();
    wrong.compression->fragment_frame_bytes = bytes;
    const auto refused = builder::build(*env_, wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), 4112);
  }
}

}  // namespace
}  // namespace dgfs::test
