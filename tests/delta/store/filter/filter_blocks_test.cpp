// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which blocks of a filter are written, and when. The test counts bytes at the file.
#include "delta/store/filter/filter_blocks.h"

#include <gtest/gtest.h>

#include "storage/memory/env.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kFirst = 4096;

class FilterBlocksTest : public testing::Test {
 protected:
  FilterBlocksTest() {
    file_ = std::make_unique<BlockFile>(
        env_->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
    blocks_ = std::make_unique<FilterBlocks>(*file_, filter_);
  }

  void add(std::uint64_t count) {
    for (; count > 0; --count) filter_.add(ObjectPrefix{1, next_++});
  }
  // Writes the filter; returns how many bytes this took of the file.
  std::uint64_t write() {
    const auto before = file_->written_bytes();
    const auto written = blocks_->write();
    EXPECT_TRUE(written) << written.error().message();
    return file_->written_bytes() - before;
  }
  /// A filter loaded from the file has all added prefixes, and lets through hardly any others.
  void expect_all_loaded() {
    PrefixFilter loaded(UINT64_MAX);
    BlockFile file(env_->open("/blocks").value());
    FilterBlocks blocks(file, loaded);
    blocks.load(blocks_->place());
    blocks.mark_used_space();
    EXPECT_EQ(file.space().used_bytes(), used_bytes());
    while (blocks.load_stage()) {
    }
    for (std::uint64_t object = 0; object < next_; ++object) {
      ASSERT_TRUE(loaded.may_have(ObjectPrefix{1, object}));
    }
    int yes = 0;
    for (std::uint64_t object = 0; object < 1000; ++object) {
      yes += loaded.may_have(ObjectPrefix{2, object}) ? 1 : 0;
    }
    EXPECT_LT(yes, 30);
  }
  [[nodiscard]] std::uint64_t used_bytes() const {
    std::uint64_t bytes = padded_bytes(blocks_->place().length_bytes);
    for (std::size_t at = 0; at < filter_.stages(); ++at) {
      bytes += padded_bytes(FilterStage::bytes_of(filter_.stage(at).capacity()));
    }
    return bytes;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  PrefixFilter filter_{UINT64_MAX, kFirst};
  std::unique_ptr<BlockFile> file_;
  std::unique_ptr<FilterBlocks> blocks_;
  std::uint64_t next_ = 0;
};

TEST_F(FilterBlocksTest, NothingIsWrittenOfNothing) {
  EXPECT_EQ(write(), 0U);
  EXPECT_EQ(blocks_->place(), Place());
}

TEST_F(FilterBlocksTest, WhatHasNotChangedStaysWhereItIs) {
  add(20'000);  // two full stages of 8 and 16 KiB, and one of 32 KiB
  ASSERT_EQ(filter_.stages(), 3U);
  const auto first = write();
  EXPECT_EQ(first, 7 * 8192 + blocks_->place().length_bytes);
  EXPECT_EQ(write(), 0U);
  add(10);
  EXPECT_EQ(write(), 4 * 8192 + blocks_->place().length_bytes);
  filter_.add(KeyRange{object_key(1, 0), object_key(1, 50)});
  EXPECT_EQ(write(), blocks_->place().length_bytes);
  filter_.add(KeyRange{object_key(1, 10), object_key(1, 40)});
  filter_.add(ObjectPrefix{1, 5});
  EXPECT_EQ(write(), 0U);
  expect_all_loaded();
}

// Blocks of the last checkpoint stay until the next one is durable, even if one in between has
// failed.
TEST_F(FilterBlocksTest, WhatIsReplacedIsFreeAfterTheNextCheckpoint) {
  add(100);
  write();
  blocks_->note_checkpoint();
  const auto old = blocks_->place();
  EXPECT_EQ(file_->space().used_bytes(), used_bytes());
  for (int failed = 0; failed < 3; ++failed) {
    add(100);
    write();
    const auto block = file_->read(old);
    ASSERT_TRUE(block) << block.error().message();
  }
  EXPECT_EQ(file_->space().used_bytes(), 4 * used_bytes());
  EXPECT_EQ(blocks_->retired_bytes(), 3 * used_bytes());
  blocks_->note_checkpoint();
  EXPECT_EQ(blocks_->retired_bytes(), 0U);
  EXPECT_EQ(file_->space().used_bytes(), used_bytes());
  expect_all_loaded();
}

// Opening reads the stage that grows. The other stages let everything through until they are read.
TEST_F(FilterBlocksTest, FullStagesAreReadLater) {
  add(20'000);
  write();
  PrefixFilter loaded(UINT64_MAX, kFirst);
  BlockFile file(env_->open("/blocks", {storage::OpenOptions::Mode::kReadWrite}).value());
  FilterBlocks blocks(file, loaded);
  blocks.load(blocks_->place());
  blocks.mark_used_space();
  ASSERT_EQ(loaded.stages(), 3U);
  EXPECT_FALSE(loaded.stage(0).is_read());
  EXPECT_FALSE(loaded.stage(1).is_read());
  EXPECT_TRUE(loaded.stage(2).is_read());
  const auto count = loaded.stage(2).count();
  for (std::uint64_t object = 0; object < 500; ++object) {
    ASSERT_TRUE(loaded.may_have(ObjectPrefix{3, object}));
    loaded.add(ObjectPrefix{3, object});
  }
  EXPECT_GT(loaded.stage(2).count(), count + 480);
  ASSERT_TRUE(blocks.write());
  blocks.note_checkpoint();
  EXPECT_FALSE(loaded.stage(0).is_read());
  EXPECT_EQ(loaded.memory_bytes(), FilterStage::bytes_of(loaded.stage(2).capacity()));
  EXPECT_TRUE(blocks.load_stage());
  EXPECT_TRUE(loaded.stage(1).is_read());
  EXPECT_EQ(loaded.memory_bytes(), FilterStage::bytes_of(loaded.stage(2).capacity()) +
                                       FilterStage::bytes_of(loaded.stage(1).capacity()));
  EXPECT_TRUE(blocks.load_stage());
  EXPECT_FALSE(blocks.load_stage());
  int yes = 0;
  for (std::uint64_t object = 0; object < 1000; ++object) {
    yes += loaded.may_have(ObjectPrefix{2, object}) ? 1 : 0;
  }
  EXPECT_LT(yes, 30);
  for (std::uint64_t object = 0; object < 500; ++object) {
    ASSERT_TRUE(loaded.may_have(ObjectPrefix{3, object}));
    ASSERT_TRUE(loaded.may_have(ObjectPrefix{1, object}));
  }
}

// From then on the filter lets all through, and the blocks of its stages are free.
TEST_F(FilterBlocksTest, AStageThatIsDamagedIsFoundLater) {
  add(20'000);
  write();
  PrefixFilter loaded(UINT64_MAX, kFirst);
  const storage::OpenOptions to_write{storage::OpenOptions::Mode::kReadWrite};
  BlockFile file(env_->open("/blocks", to_write).value());
  FilterBlocks blocks(file, loaded);
  blocks.load(blocks_->place());
  blocks.mark_used_space();
  const auto raw = env_->open("/blocks", to_write).value();
  Buffer byte(1);  // the first stage was written first
  ASSERT_TRUE(storage::read_exactly(*raw, 100, byte));
  byte.front() ^= 1;
  ASSERT_TRUE(raw->write_at(100, byte));
  EXPECT_TRUE(blocks.load_stage());
  EXPECT_FALSE(blocks.load_stage());
  EXPECT_TRUE(loaded.may_have(ObjectPrefix{2, 1}));
  ASSERT_TRUE(blocks.write());
  blocks.note_checkpoint();
  EXPECT_EQ(file.space().used_bytes(), padded_bytes(blocks.place().length_bytes));
  PrefixFilter again(UINT64_MAX, kFirst);
  FilterBlocks reopened(file, again);
  reopened.load(blocks.place());
  EXPECT_EQ(again.stages(), 0U);
  EXPECT_TRUE(again.may_have(ObjectPrefix{2, 1}));
}

TEST_F(FilterBlocksTest, LeavesTheEndOfTheFile) {
  const auto before = file_->write(Buffer(1 << 18)).value();
  add(5000);
  write();
  blocks_->note_checkpoint();
  file_->free(before.extent());
  const auto end_bytes = file_->end_bytes();
  const auto begin = file_->close_sparse_end(1 << 18, 512);
  ASSERT_TRUE(begin);
  blocks_->leave_end(*begin);
  file_->open_end();
  EXPECT_LT(blocks_->place().offset_bytes, *begin);
  blocks_->note_checkpoint();
  EXPECT_LE(file_->end_bytes(), *begin);
  EXPECT_LT(file_->end_bytes(), end_bytes / 4);
  EXPECT_EQ(file_->moved_bytes(), 3 * 8192 + blocks_->place().length_bytes);
  expect_all_loaded();
  EXPECT_EQ(write(), 0U);
}

// If there is no space for all blocks before the end, the table names those that were moved anyway.
TEST_F(FilterBlocksTest, LeavesTheEndAsFarAsThereIsSpace) {
  const auto little = file_->write(Buffer(9000)).value();
  const auto between = file_->write(Buffer(512)).value();
  add(5000);
  write();
  blocks_->note_checkpoint();
  file_->free(little.extent());
  ASSERT_TRUE(file_->close_end(1 << 14));
  blocks_->leave_end(between.extent().end_bytes());
  file_->open_end();
  blocks_->note_checkpoint();
  EXPECT_GE(file_->moved_bytes(), 8192U);
  EXPECT_EQ(file_->space().used_bytes(), used_bytes() + 512);
  expect_all_loaded();
}

TEST_F(FilterBlocksTest, WithoutSpaceForAStageTheTableLetsAllThrough) {
  add(20'000);
  write();
  blocks_->note_checkpoint();
  add(30'000);
  env_->set_capacity(env_->status("/blocks").value().allocated_bytes + 4096);
  write();
  PrefixFilter loaded(UINT64_MAX);
  BlockFile file(env_->open("/blocks").value());
  FilterBlocks(file, loaded).load(blocks_->place());
  EXPECT_TRUE(loaded.may_have_all(OlderObjects(UINT64_MAX).all()));
  EXPECT_FALSE(filter_.may_have(ObjectPrefix{2, 1}));
  env_->set_capacity(UINT64_MAX / 4);
  EXPECT_GT(write(), 0U);
  blocks_->note_checkpoint();
  EXPECT_EQ(file_->space().used_bytes(), used_bytes());
  expect_all_loaded();
}

TEST_F(FilterBlocksTest, WritesNoMoreThanItSays) {
  for (const std::uint64_t count : {1U, 100U, 4000U, 8000U, 30'000U, 100'000U}) {
    const auto said = blocks_->bytes_to_write(count);
    add(count);
    EXPECT_LE(write(), said);
    EXPECT_LE(said, 8 * FilterStage::bytes_of(kFirst + count) + 3 * FilterTable::kBytesMax);
  }
  PrefixFilter none(0);
  EXPECT_EQ(FilterBlocks(*file_, none).bytes_to_write(1000), 0U);
}

// Filter blocks that overlap blocks of another owner are not loaded.
TEST_F(FilterBlocksTest, WhatLiesOverOthersIsNotLoaded) {
  add(5000);
  write();
  PrefixFilter loaded(UINT64_MAX);
  BlockFile file(env_->open("/blocks").value());
  ASSERT_TRUE(file.mark({8192, 100}));
  FilterBlocks blocks(file, loaded);
  blocks.load(blocks_->place());
  blocks.mark_used_space();
  EXPECT_EQ(blocks.place(), Place());
  EXPECT_EQ(file.space().used_bytes(), 512U);
  EXPECT_TRUE(loaded.may_have_all(OlderObjects(UINT64_MAX).all()));
}

}  // namespace
}  // namespace dgfs::test
