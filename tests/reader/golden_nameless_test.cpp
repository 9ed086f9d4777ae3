// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The golden image with objects that have no name: later versions can read it. No command makes
// such an image yet, and only numbers lead to its objects. DGFS_RENEW_GOLDEN=1 writes it again: for
// a deliberate change of the format, in the commit that makes it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr const char* kGolden = DGFS_GOLDEN "/nameless.img";
// Numbers of objects without a name.
constexpr format::InodeNumber kFile = 40;
constexpr format::InodeNumber kEmptyFile = 41;
constexpr format::InodeNumber kFifo = 42;
constexpr format::InodeNumber kLink = 43;
constexpr format::InodeNumber kNext = 50;

std::string text_of(std::uint32_t seed) {
  const auto bytes = pattern(600, seed);
  return std::string(as_text(bytes));
}

format::Entry& add_nameless(ImageAssembler& assembler, format::InodeNumber inode,
                            std::uint32_t mode) {
  auto& record = assembler.add_link_record(inode, mode, 0);
  record.uid = 1000;
  record.gid = 100;
  record.mtime = {1'600'000'000, 7};
  return record;
}

Buffer assembled() {
  ImageAssembler assembler;
  assembler.incompat = format::feature::kIncompatNamelessObjects;
  assembler.next_inode = kNext;
  assembler.add_directory("d");
  assembler.add_file("d/named", as_bytes(text_of(1)));
  assembler.add_file("last", as_bytes(text_of(2)));
  // A name that is gone had the contents of one that stayed.
  Buffer extent;
  format::append_raw_extent(as_bytes(text_of(3)), extent);
  const auto place = assembler.place(0, extent);
  auto& twin = assembler.add("d/twin", 0100644);
  auto& file = add_nameless(assembler, kFile, 0100600);
  for (auto* entry : {&twin, &file}) {
    entry->size_bytes = 600;
    entry->stored_bytes = extent.size();
    entry->address = place;
  }
  file.ctime = Time{1'600'000'500, 9};
  add_nameless(assembler, kEmptyFile, 0100640);
  add_nameless(assembler, kFifo, 0010640);
  auto& link = add_nameless(assembler, kLink, 0120777);
  link.target = "d/named";
  link.size_bytes = link.target.size();
  const auto memory = storage::make_memory_env(1);
  assembler.write(*memory, "/t", "", true);
  return read_file(*memory, "/t");
}

Buffer golden() {
  if (std::getenv("DGFS_RENEW_GOLDEN") != nullptr) {
    const auto bytes = assembled();
    std::ofstream(kGolden, std::ios::binary)
        .write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::ifstream file(kGolden, std::ios::binary);
  return Buffer{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class GoldenNameless : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto bytes = golden();
    ASSERT_FALSE(bytes.empty()) << kGolden;
    write_file(*memory_, "/t", bytes);
    image_ = value_of(reader::Image::open(*memory_, "/t"));
  }
  reader::Node nameless(format::InodeNumber inode, std::uint32_t mode) {
    const auto node = value_of(image_->by_inode(inode));
    EXPECT_EQ(node.inode, inode);
    EXPECT_EQ(node.link_count, 0U);
    EXPECT_EQ(node.mode, mode);
    EXPECT_EQ(node.uid, 1000U);
    EXPECT_EQ(node.gid, 100U);
    EXPECT_EQ(node.mtime, (Time{1'600'000'000, 7}));
    return node;
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<const reader::Image> image_;
};

TEST_F(GoldenNameless, NamesAreThoseOfTheTree) {
  EXPECT_EQ(image_->superblock().incompat, format::feature::kIncompatNamelessObjects);
  std::map<std::string, std::string> walked;
  expect_ok(image_->walk("", [&](std::string_view path, const reader::Node& node) {
    EXPECT_NE(node.link_count, 0U) << path;
    auto& content = walked[std::string(path)];
    if (format::is_regular(node.mode)) content = as_text(value_of(contents(*image_, node)));
    return true;
  }));
  const std::map<std::string, std::string> expected = {
      {"", ""}, {"d", ""}, {"d/named", text_of(1)}, {"d/twin", text_of(3)}, {"last", text_of(2)}};
  EXPECT_EQ(walked, expected);
  EXPECT_TRUE(value_of(reader::verify(*image_, {})).sound());
}

TEST_F(GoldenNameless, ObjectsAreFoundByTheirNumbers) {
  const auto file = nameless(kFile, 0100600);
  EXPECT_EQ(file.ctime, (Time{1'600'000'500, 9}));
  EXPECT_EQ(as_text(value_of(contents(*image_, file))), text_of(3));
  EXPECT_EQ(nameless(kEmptyFile, 0100640).size_bytes, 0U);
  nameless(kFifo, 0010640);
  EXPECT_EQ(value_of(image_->read_link(nameless(kLink, 0120777))), "d/named");
  for (const auto inode : {kFile, kEmptyFile, kFifo, kLink}) {
    EXPECT_EQ(image_->path_of(inode).error().kind(), ErrorKind::kNotFound) << inode;
    EXPECT_EQ(image_->name_of(inode).error().kind(), ErrorKind::kNotFound) << inode;
    EXPECT_EQ(image_->parent(inode).error().kind(), ErrorKind::kNotFound) << inode;
  }
  EXPECT_EQ(image_->by_inode(kLink + 1).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace dgfs::test
