// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parts of the format that the builder does not use yet, tested through Image.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/page/header.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::ExtentCodec;

class ReservedFormat : public ::testing::Test {
 protected:
  std::unique_ptr<const reader::Image> write_and_open(reader::OpenOptions options = {}) {
    assembler_.write(*env_, "/a.dgfs", "/a.dgfs.idx", true);
    return value_of(reader::Image::open(*env_, "/a.dgfs", std::move(options)));
  }
  static void expect_content(const reader::Image& image, const std::string& path,
                             const Buffer& expected) {
    EXPECT_EQ(value_of(contents(image, value_of(image.lookup(path)))), expected) << path;
  }
  // Adds enough entries for several pages.
  void add_files(const std::string& folder, std::uint32_t count) {
    assembler_.add_directory(folder);
    for (std::uint32_t i = 0; i < count; ++i) {
      assembler_.add_file(folder + "/f" + std::to_string(i), pattern(100 + i, i));
    }
  }
  static void expect_files(const reader::Image& image, const std::string& folder,
                           std::uint32_t count) {
    const auto directory = value_of(image.lookup(folder)).inode;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto name = "f" + std::to_string(i);
      expect_content(image, folder + "/" + name, pattern(100 + i, i));
      const auto by_name = value_of(image.lookup(directory, name));
      EXPECT_EQ(value_of(image.by_inode(by_name.inode)).data, by_name.data);
      EXPECT_EQ(value_of(image.path_of(by_name.inode)), folder + "/" + name);
    }
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  ImageAssembler assembler_;
};

TEST_F(ReservedFormat, CompressedExtents) {
  const Buffer zeros(1000, 0);
  auto large = pattern(1000, 3);
  for (int i = 0; i < 8; ++i) large.insert(large.end(), large.begin(), large.end());
  assembler_.add_file("large", large, ExtentCodec::kZstd);
  assembler_.add_file("raw", pattern(5000, 1));
  assembler_.add_file("small", zeros, ExtentCodec::kZstd);
  const auto image = write_and_open();
  expect_content(*image, "large", large);
  expect_content(*image, "raw", pattern(5000, 1));
  expect_content(*image, "small", zeros);
  EXPECT_TRUE(value_of(reader::verify(*image, {})).sound());
  const auto node = value_of(image->lookup("large"));
  EXPECT_LT(node.stored_bytes, node.size_bytes);
  for (const std::uint64_t at : {0ULL, 65535ULL, 65536ULL, 131000ULL, 255000ULL}) {
    Buffer out(70000);
    const auto count = value_of(image->read(node, at, out));
    ASSERT_EQ(count, std::min<std::uint64_t>(out.size(), large.size() - at));
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<long>(count),
                           large.begin() + static_cast<long>(at)));
  }
}

TEST_F(ReservedFormat, CompressedSmallFileIsOneDataRead) {
  assembler_.add_file("small", Buffer(5000, 'x'), ExtentCodec::kZstd);
  assembler_.write(*env_, "/a.dgfs", "/a.dgfs.idx", true);
  const auto counting = storage::make_counting_env(*env_);
  const auto image = value_of(reader::Image::open(*counting, "/a.dgfs"));
  counting->reset();
  expect_content(*image, "small", Buffer(5000, 'x'));
  EXPECT_EQ(counting->counts("/a.dgfs").reads, 1U);
  EXPECT_EQ(counting->counts("/a.dgfs.idx").reads, 1U);
}

TEST_F(ReservedFormat, SharedExtentsByExplicitAddress) {
  const auto content = pattern(100'000, 5);
  Buffer extent;
  format::append_raw_extent(content, extent);
  const auto address = assembler_.place(0, extent);
  for (const auto* path : {"a", "c"}) {
    auto& entry = assembler_.add(path, 0100600);
    entry.size_bytes = content.size();
    entry.stored_bytes = extent.size();
    entry.address = address;
  }
  assembler_.add_file("b", pattern(10, 1));
  assembler_.add_file("d", pattern(11, 2));
  const auto image = write_and_open();
  expect_content(*image, "a", content);
  expect_content(*image, "c", content);
  expect_content(*image, "b", pattern(10, 1));
  expect_content(*image, "d", pattern(11, 2));
  EXPECT_EQ(value_of(image->lookup("a")).data, value_of(image->lookup("c")).data);
}

TEST_F(ReservedFormat, VolumesInAnyOrderAndMissing) {
  add_files("d", 90);
  assembler_.entries_per_page = 10;
  assembler_.volume_of_page = [](std::size_t page) {
    return static_cast<format::VolumeNumber>(page % 3);
  };
  assembler_.more_volumes = {{1, "/elsewhere-1"}, {2, "/elsewhere-2"}};
  reader::OpenOptions options;
  options.volume_paths = {"/elsewhere-2", "/elsewhere-1"};
  const auto image = write_and_open(options);
  EXPECT_EQ(image->volumes().size(), 3U);
  expect_files(*image, "d", 90);

  expect_ok(env_->remove("/elsewhere-1"));
  const auto partial = value_of(reader::Image::open(*env_, "/a.dgfs", options));
  int missing = 0;
  expect_ok(partial->list_nodes(value_of(partial->lookup("d")).inode, 0,
                                [&](const reader::ListedName&, const reader::Node& node) {
                                  const auto read = contents(*partial, node);
                                  EXPECT_EQ(read.has_value(), node.data.volume != 1);
                                  if (!read) {
                                    EXPECT_EQ(read.error().kind(), ErrorKind::kNotFound);
                                    ++missing;
                                  }
                                  return true;
                                }));
  EXPECT_EQ(missing, 30);
}

TEST_F(ReservedFormat, VerifyNamesAFileOfAMissingVolumeOnce) {
  assembler_.add_file("large", pattern(300000, 1));
  assembler_.volume_of_page = [](std::size_t) { return format::VolumeNumber{1}; };
  assembler_.more_volumes = {{1, "/elsewhere-1"}};
  const auto image = write_and_open();
  expect_ok(env_->remove("/elsewhere-1"));
  std::vector<std::string> damaged;
  reader::VerifyOptions options;
  options.damaged_file = [&](const std::string& path, const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    damaged.push_back(path);
  };
  const auto report = value_of(reader::verify(*image, options));
  EXPECT_EQ(damaged, std::vector<std::string>{"large"});
  EXPECT_EQ(report.damaged_files, 1U);
}

TEST_F(ReservedFormat, GenerationsOfModelsAndAttributeTables) {
  std::vector<Buffer> samples;
  for (std::uint32_t i = 0; i < 200; ++i) samples.push_back(pattern(600 + i % 7, i % 11));
  for (const std::uint16_t id : {std::uint16_t{7}, std::uint16_t{9}}) {
    const auto model = value_of(format::Model::train(id, samples, 4096));
    ASSERT_EQ(model->id(), id);
    assembler_.models.push_back(model);
  }
  assembler_.tables.emplace_back(std::uint16_t{40});
  add_files("d", 100);
  assembler_.entries_per_page = 7;
  const auto image = write_and_open();
  expect_files(*image, "d", 100);
  std::set<std::uint16_t> models;
  std::set<std::uint16_t> tables;
  for (const auto& page : assembler_.pages()) {
    const auto header = value_of(format::read_page_header(page.bytes));
    models.insert(header.model_id);
    tables.insert(header.attribute_table);
  }
  EXPECT_EQ(models.size(), 3U);
  EXPECT_EQ(tables.size(), 2U);
}

// A step of the merge: a page of a renamed directory goes into another index as its 4096 bytes, and
// only its record changes.
TEST_F(ReservedFormat, MovedAndReprefixedPage) {
  ImageAssembler old;
  old.add_directory("a");
  old.add_directory("a/before");
  for (std::uint32_t i = 10; i < 40; ++i) {
    old.add_file("a/before/f" + std::to_string(i), pattern(i, i));
  }
  old.entries_per_page = 3;  // root, a, before | files
  old.tables.front() = format::AttributeTable(21);
  old.write(*env_, "/old.dgfs", "", true);
  const auto& moved = old.pages().at(1);
  const auto prefix = std::string("a\0before\0\0f", 11);
  ASSERT_EQ(moved.record.prefix.substr(0, prefix.size()), prefix);
  const auto rest = moved.record.prefix.substr(prefix.size());

  assembler_.add_directory("quite-another");
  assembler_.add_directory("quite-another/place");
  for (std::uint32_t i = 10; i < 40; ++i) {
    assembler_.add_file("quite-another/place/f" + std::to_string(i), pattern(i, i));
  }
  assembler_.add_file("quite-another/zz", pattern(50, 50));
  assembler_.more_tables = {old.tables.front()};
  assembler_.adopt_page("quite-another/place/f10", moved,
                        std::string("quite-another\0place\0\0f", 22) + rest);
  const auto image = write_and_open();
  bool found = false;
  for (const auto& page : assembler_.pages()) found = found || page.bytes == moved.bytes;
  EXPECT_TRUE(found);
  const auto place = value_of(image->lookup("quite-another/place")).inode;
  for (std::uint32_t i = 10; i < 40; ++i) {
    expect_content(*image, "quite-another/place/f" + std::to_string(i), pattern(i, i));
    EXPECT_TRUE(image->lookup(place, "f" + std::to_string(i)));
  }
  expect_content(*image, "quite-another/zz", pattern(50, 50));
}

TEST_F(ReservedFormat, ZonesKeepEqualKeysApart) {
  assembler_.zone = 12345;
  add_files("d", 30);
  // A name whose path key is 8 bytes long, as the key of a link record is.
  const std::string name = "abcdefg";
  assembler_.add_file(name, pattern(77, 1));
  const auto key = value_of(format::key_of_path(name));
  ASSERT_EQ(key.size(), 8U);
  std::uint64_t inode = 0;
  for (const char byte : key) inode = inode << 8 | static_cast<std::uint8_t>(byte);
  assembler_.add_link_record(inode, 0010600, 1);
  assembler_.next_inode = inode + 1;
  const auto image = write_and_open();
  expect_files(*image, "d", 30);
  expect_content(*image, name, pattern(77, 1));
  EXPECT_EQ(value_of(image->by_inode(inode)).mode, 0010600U);
}

TEST_F(ReservedFormat, RunsOfInodeNumbers) {
  add_files("d", 50);  // makes 52 entries
  assembler_.runs = {{1, 0, 10}, {500, 10, 30}, {20, 40, 12}};
  assembler_.next_inode = 600;
  const auto image = write_and_open();
  expect_files(*image, "d", 50);
  std::set<reader::InodeNumber> inodes;
  expect_ok(image->walk("", [&](std::string_view path, const reader::Node& node) {
    inodes.insert(node.inode);
    EXPECT_EQ(value_of(image->path_of(node.inode)), path);
    EXPECT_EQ(value_of(image->by_inode(node.inode)).ordinal, node.ordinal);
    return true;
  }));
  EXPECT_EQ(inodes.size(), 52U);
  EXPECT_TRUE(inodes.contains(529));
  EXPECT_FALSE(inodes.contains(530));
  EXPECT_EQ(image->by_inode(15).error().kind(), ErrorKind::kNotFound);
}

// After a merge, the name whose number an object had may be gone.
TEST_F(ReservedFormat, LinkRecordWithoutItsFirstName) {
  assembler_.add_directory("d");
  for (const auto* path : {"d/x", "d/y"}) {
    auto& entry = assembler_.add(path, 0100000);
    entry.mtime = {};
    entry.link_inode = 77;
  }
  Buffer extent;
  format::append_raw_extent(pattern(40, 4), extent);
  auto& record = assembler_.add_link_record(77, 0100640, 2);
  record.size_bytes = 40;
  record.stored_bytes = extent.size();
  record.address = assembler_.place(0, extent);
  assembler_.next_inode = 100;
  const auto image = write_and_open();
  for (const auto* path : {"d/x", "d/y"}) {
    const auto node = value_of(image->lookup(path));
    EXPECT_EQ(node.inode, 77U);
    EXPECT_EQ(node.link_count, 2U);
    expect_content(*image, path, pattern(40, 4));
  }
  EXPECT_EQ(value_of(image->by_inode(77)).mode, 0100640U);
  EXPECT_EQ(image->by_inode(3).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace dgfs::test
