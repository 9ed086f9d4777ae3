// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/directory_stack.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kLevels = 400;  // several times as many as stay open

class DirectoryStackTest : public testing::Test {
 protected:
  DirectoryStackTest() {
    expect_ok(memory_->make_directory("/dest", 0755));
    auto directory = value_of(memory_->open_directory("/dest"));
    for (std::size_t level = 0; level < kLevels; ++level) {
      expect_ok(directory->make_directory("d", 0755));
      expect_ok(directory->make_directory("side", 0755));
      directory = value_of(directory->open_directory("d"));
      inodes_.push_back(value_of(directory->status()).inode);
    }
    root_ = value_of(faulty_->open_directory("/dest"));
  }
  // Returns "d/d/d..." with so many levels.
  static std::string path(std::size_t levels) {
    std::string path;
    for (std::size_t level = 0; level < levels; ++level) path += level == 0 ? "d" : "/d";
    return path;
  }
  void expect_found(reader::DirectoryStack& stack, std::size_t levels) {
    const auto directory = value_of(stack.open(path(levels)));
    EXPECT_EQ(value_of(directory->status()).inode, inodes_[levels - 1]) << levels;
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::FaultyEnv> faulty_ = storage::make_faulty_env(*memory_, 1);
  reader::DirectoryPointer root_;
  std::vector<std::uint64_t> inodes_;
};

TEST_F(DirectoryStackTest, FindsItsWayBackToWhatItHasClosed) {
  reader::DirectoryStack stack(root_);
  for (const std::size_t levels :
       {kLevels, std::size_t{3}, kLevels, kLevels - 100, kLevels - 300}) {
    expect_found(stack, levels);
  }
  EXPECT_TRUE(stack.open(path(200) + "/side"));
  EXPECT_EQ(stack.open(path(200) + "/none").error().kind(), ErrorKind::kNotFound);
  expect_found(stack, 200);
  EXPECT_EQ(value_of(stack.open(""))->path(), root_->path());
}

// Fails on the way down, and on the way back to a level that was closed.
TEST_F(DirectoryStackTest, AFailureLeavesItUsable) {
  for (const std::size_t levels : {kLevels, std::size_t{20}}) {
    reader::DirectoryStack stack(root_);
    if (levels == 20) expect_found(stack, kLevels);
    faulty_->arm({.kind = storage::FaultKind::kIoError, .at_call = 10, .sticky = false});
    const auto failed = stack.open(path(levels));
    ASSERT_FALSE(failed) << levels;
    EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);
    faulty_->arm({});
    expect_found(stack, levels);
    expect_found(stack, kLevels);
  }
}

}  // namespace
}  // namespace dgfs::test
