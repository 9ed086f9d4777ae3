// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Everything a tree may hold besides plain files: holes, attributes, long targets, device nodes,
// links of links; and the ways from inode numbers and positions to names.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "format/entry/mode.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

// ENXIO, the error of lseek(2) behind the last data.
constexpr int kNoSuchPlace = 6;

class SparseFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    expected_.resize(100'000);
    for (const auto& [begin, end] : segments_) {
      const auto bytes = pattern(end - begin, static_cast<std::uint32_t>(begin));
      std::copy(bytes.begin(), bytes.end(), expected_.begin() + static_cast<long>(begin));
    }
    auto directory = tree_.parent("sparse");
    const auto file = value_of(directory->create_file("sparse", 0644));
    for (const auto& [begin, end] : segments_) {
      expect_ok(file->write_at(begin, Bytes(expected_).subspan(begin, end - begin)));
    }
    expect_ok(file->truncate(expected_.size()));
    expect_ok(value_of(directory->create_file("hole", 0644))->truncate(50'000));
    tree_.file("plain", pattern(5000, 1));
    tree_.pack();
    image_ = tree_.open();
    node_ = value_of(image_->lookup("sparse"));
  }
  void expect_enxio(const Result<std::uint64_t>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(result.error().os_errno(), kNoSuchPlace);
  }

  // The second segment spans two frames of the content and of the file.
  const std::vector<std::pair<std::size_t, std::size_t>> segments_ = {{8192, 12288},
                                                                      {16384, 86016}};
  PackedTree tree_;
  Buffer expected_;
  std::unique_ptr<const reader::Image> image_;
  reader::Node node_;
};

TEST_F(SparseFiles, ReadsAcrossHoles) {
  ASSERT_TRUE(node_.sparse_map.present());
  for (const std::size_t at :
       {0U, 4000U, 8191U, 8192U, 12287U, 12288U, 16000U, 65535U, 86015U, 86016U, 99'999U}) {
    for (const std::size_t length : {1U, 4097U, 30'000U, 100'000U}) {
      Buffer out(length, 0xEE);
      const auto count = value_of(image_->read(node_, at, out));
      ASSERT_EQ(count, std::min(length, expected_.size() - at));
      EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<long>(count),
                             expected_.begin() + static_cast<long>(at)))
          << at << "+" << length;
    }
  }
  Buffer out(1);
  EXPECT_EQ(value_of(image_->read(node_, 100'000, out)), 0U);
}

TEST_F(SparseFiles, NextDataAndHoleAtTheEdges) {
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  for (const auto& [at, data] : Pairs{
           {0, 8192}, {8191, 8192}, {8192, 8192}, {12287, 12287}, {12288, 16384}, {86015, 86015}}) {
    EXPECT_EQ(value_of(image_->next_data(node_, at)), data) << at;
  }
  for (const auto& [at, hole] : Pairs{{0, 0},
                                      {8191, 8191},
                                      {8192, 12288},
                                      {12287, 12288},
                                      {12288, 12288},
                                      {16384, 86016},
                                      {86015, 86016},
                                      {86016, 86016},
                                      {99'999, 99'999}}) {
    EXPECT_EQ(value_of(image_->next_hole(node_, at)), hole) << at;
  }
  for (const std::uint64_t at : {86016U, 99'999U, 100'000U}) {
    expect_enxio(image_->next_data(node_, at));
  }
  expect_enxio(image_->next_hole(node_, 100'000));
}

TEST_F(SparseFiles, AFileThatIsOneHole) {
  const auto hole = value_of(image_->lookup("hole"));
  EXPECT_EQ(value_of(contents(*image_, hole)), Buffer(50'000));
  EXPECT_EQ(image_->counters().data_reads, 0U);
  EXPECT_EQ(value_of(image_->next_hole(hole, 0)), 0U);
  expect_enxio(image_->next_data(hole, 0));
  const auto map = value_of(image_->sparse_map(hole));
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->segments().empty());
  EXPECT_EQ(image_->locate(hole, 10).error().kind(), ErrorKind::kNotFound);
}

TEST_F(SparseFiles, FilesWithoutHolesEndInOne) {
  const auto plain = value_of(image_->lookup("plain"));
  EXPECT_FALSE(value_of(image_->sparse_map(plain)));
  EXPECT_EQ(value_of(image_->next_data(plain, 4999)), 4999U);
  EXPECT_EQ(value_of(image_->next_hole(plain, 0)), 5000U);
  expect_enxio(image_->next_data(plain, 5000));
}

TEST(NodeKinds, LongXattrSetsAreOneSideRead) {
  PackedTree tree;
  tree.file("f", "x");
  tree.file("bare", "y");
  std::vector<Xattr> xattrs;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto number = std::to_string(1000 + i);
    xattrs.push_back({"user." + number, pattern(i * 20, i)});
  }
  xattrs.push_back({"user.empty", {}});
  xattrs.push_back({"user.largest", pattern(65536, 1)});
  for (const auto& [name, value] : xattrs) {
    expect_ok(tree.parent("f")->set_xattr("f", name, value));
  }
  tree.pack();
  const auto image = tree.open();
  const auto node = value_of(image->lookup("f"));
  tree.counting().reset();
  EXPECT_EQ(value_of(image->xattrs(node)), xattrs);
  EXPECT_EQ(tree.index_counts().reads, 1U);
  EXPECT_EQ(image->counters().side_reads, 1U);
  EXPECT_TRUE(value_of(image->xattrs(value_of(image->lookup("bare")))).empty());
  EXPECT_EQ(image->counters().side_reads, 1U);
}

TEST(NodeKinds, LongTargetsAreExactlyOneSideRead) {
  PackedTree tree;
  const std::vector<std::size_t> lengths = {1, 255, 256, 1000, 4095};
  for (const auto length : lengths) {
    tree.symlink(std::to_string(length), std::string(length, 't'));
  }
  tree.pack();
  for (const auto length : lengths) {
    const auto image = tree.open();
    const auto node = value_of(image->lookup(std::to_string(length)));
    tree.counting().reset();
    EXPECT_EQ(value_of(image->read_link(node)), std::string(length, 't'));
    EXPECT_EQ(tree.index_counts().reads, length > 255 ? 1U : 0U) << length;
    EXPECT_EQ(tree.image_counts().reads, 0U);
    EXPECT_EQ(node.size_bytes, length);
  }
}

TEST(NodeKinds, DevicesFifosAndSockets) {
  PackedTree tree;
  const std::vector<std::pair<std::string, std::uint32_t>> nodes = {
      {"block", format::kTypeBlockDevice},
      {"character", format::kTypeCharacterDevice},
      {"fifo", format::kTypeFifo},
      {"socket", format::kTypeSocket}};
  constexpr std::uint64_t kDevice = 0x12345'00abU;
  for (const auto& [name, type] : nodes) {
    expect_ok(tree.parent(name)->make_node(name, type | 0640, kDevice));
  }
  tree.pack();
  const auto image = tree.open();
  for (const auto& [name, type] : nodes) {
    const auto node = value_of(image->lookup(name));
    EXPECT_EQ(node.mode, type | 0640) << name;
    EXPECT_EQ(node.rdev, format::is_device(type) ? kDevice : 0) << name;
    EXPECT_EQ(node.size_bytes, 0U);
    Buffer out(1);
    EXPECT_EQ(image->read(node, 0, out).error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(image->read_link(node).error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(image->lookup(node.inode, "x").error().kind(), ErrorKind::kNotDirectory);
  }
}

TEST(NodeKinds, HardLinksOfSymlinks) {
  PackedTree tree;
  tree.directory("d");
  for (const auto& [name, length] : {std::pair("short", 10U), std::pair("long", 2000U)}) {
    tree.symlink(name, std::string(length, 't'));
    tree.link(name, std::string("d/") + name);
  }
  tree.pack();
  const auto image = tree.open();
  for (const auto& [name, length] : {std::pair("short", 10U), std::pair("long", 2000U)}) {
    const auto one = value_of(image->lookup(name));
    const auto other = value_of(image->lookup(std::string("d/") + name));
    EXPECT_EQ(one.inode, other.inode);
    EXPECT_NE(one.ordinal, other.ordinal);
    EXPECT_EQ(one.link_count, 2U);
    EXPECT_EQ(value_of(image->read_link(other)), std::string(length, 't'));
    EXPECT_EQ(value_of(image->read_link(value_of(image->by_inode(one.inode)))).size(), length);
  }
}

class ManyNames : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kNames = 2500;
  void SetUp() override {
    tree_.directory("a");
    tree_.directory("a/b");
    for (std::uint64_t i = 0; i < kNames; ++i) tree_.file("a/b/" + name_at(i), "");
    tree_.directory("a/empty");
    tree_.pack();
    image_ = tree_.open();
    directory_ = value_of(image_->lookup("a/b")).inode;
  }
  // Names that sort by their number.
  static std::string name_at(std::uint64_t i) {
    return std::to_string(100'000 + i) + std::to_string(i * 2654435761U);
  }
  std::vector<std::string> list_from(reader::InodeNumber directory, std::uint64_t position,
                                     std::size_t names_max) {
    std::vector<std::string> names;
    auto next = position;
    expect_ok(image_->list(directory, position, [&](const reader::ListedName& listed) {
      EXPECT_EQ(listed.position, next++);
      names.emplace_back(listed.name);
      return names.size() < names_max;
    }));
    return names;
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  reader::InodeNumber directory_ = 0;
};

TEST_F(ManyNames, ListFromPositions) {
  ASSERT_GT(image_->superblock().section(format::SectionKind::kPages).length_bytes, 3 * 4096U);
  for (std::uint64_t position = 0; position < kNames; position += 83) {
    const auto names = list_from(directory_, position, 2);
    ASSERT_EQ(names.size(), 2U);
    EXPECT_EQ(names[0], name_at(position));
    EXPECT_EQ(names[1], name_at(position + 1));
  }
  EXPECT_EQ(list_from(directory_, kNames - 1, 9), std::vector{name_at(kNames - 1)});
  EXPECT_TRUE(list_from(directory_, kNames, 9).empty());
  EXPECT_TRUE(list_from(directory_, ~std::uint64_t{0}, 9).empty());
  const auto empty = value_of(image_->lookup("a/empty")).inode;
  EXPECT_TRUE(list_from(empty, 0, 9).empty());
}

TEST_F(ManyNames, ParentAndPathOf) {
  const auto root = value_of(image_->lookup("")).inode;
  const auto a = value_of(image_->lookup("a")).inode;
  EXPECT_EQ(value_of(image_->parent(root)), root);
  EXPECT_EQ(value_of(image_->parent(a)), root);
  EXPECT_EQ(value_of(image_->parent(directory_)), a);
  EXPECT_EQ(value_of(image_->path_of(root)), "");
  EXPECT_EQ(value_of(image_->path_of(directory_)), "a/b");
  for (std::uint64_t i = 0; i < kNames; i += 101) {
    const auto path = "a/b/" + name_at(i);
    const auto inode = value_of(image_->lookup(path)).inode;
    EXPECT_EQ(value_of(image_->parent(inode)), directory_);
    EXPECT_EQ(value_of(image_->path_of(inode)), path);
  }
  for (const reader::InodeNumber inode : {reader::InodeNumber{0}, ~reader::InodeNumber{0}}) {
    EXPECT_EQ(image_->parent(inode).error().kind(), ErrorKind::kNotFound);
    EXPECT_EQ(image_->path_of(inode).error().kind(), ErrorKind::kNotFound);
  }
}

// Only "." and ".." are not allowed as names.
TEST(NodeKinds, NamesOfThreeDotsAndMore) {
  PackedTree tree;
  tree.directory("...");
  for (const auto* path : {".../...", ".../....", "....."}) tree.file(path, path);
  tree.pack();
  const auto image = tree.open();
  for (const auto* path : {".../...", ".../....", "....."}) {
    EXPECT_EQ(as_text(value_of(contents(*image, value_of(image->lookup(path))))), path);
  }
  expect_ok(image->verify_index([](const Error& error) { ADD_FAILURE() << error.message(); }));
}

}  // namespace
}  // namespace dgfs::test
