// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The space of a store, as checkpoints write it: opening reads the space maps and no nodes, and
// finds the same space as a walk of the tree.
#include <gtest/gtest.h>

#include "delta/store/log/superblock.h"
#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

class StoreSpaceMaps : public CountedStore {
 protected:
  StoreSpaceMaps() : CountedStore({1024, 4096, 8, 1 << 20, 2048}) {}

  void fill(int count) {
    Random random(1);
    for (int i = 0; i < count; ++i) {
      const auto bytes = random.bytes(random.one_in(10) ? 5000 : 100);
      put(static_cast<int>(random.below(static_cast<std::uint64_t>(count))),
          std::string(bytes.begin(), bytes.end()));
    }
  }
  [[nodiscard]] Superblock superblock() {
    return read_superblock(*memory_->open("/s/store", {}).value()).value();
  }
  [[nodiscard]] storage::IoCounts counts_of_opening() {
    reopen_without_reset();
    return counts("blocks");
  }
  void reopen_without_reset() {
    store_.reset();
    env_->reset();
    store_ = open_store(*env_, options_);
  }
  void flip(const std::string& file, std::uint64_t at) {
    const auto opened = memory_->open("/s/" + file, {storage::OpenOptions::Mode::kReadWrite});
    Buffer byte(1);
    ASSERT_TRUE(storage::read_exactly(*opened.value(), at, byte));
    byte.front() ^= 1;
    ASSERT_TRUE(opened.value()->write_at(at, byte));
  }
};

TEST_F(StoreSpaceMaps, OpeningReadsAsManyBlocksHoweverManyThereAre) {
  std::vector<storage::IoCounts> opened;
  std::vector<std::uint64_t> nodes;
  for (const int count : {300, 3000, 30'000}) {
    fill(count);
    ASSERT_TRUE(store_->close());
    nodes.push_back(report().nodes);
    opened.push_back(counts_of_opening());
    expect_sound(*memory_);
  }
  EXPECT_GT(nodes.back(), 20 * nodes.front());
  EXPECT_EQ(opened[0].reads, opened[1].reads);
  EXPECT_EQ(opened[1].reads, opened[2].reads);
  EXPECT_LE(opened[2].reads, 4U);
}

// A superblock that names impossible places makes the store walk the tree. The next superblock
// names right places.
TEST_F(StoreSpaceMaps, AreWhereNothingElseIs) {
  fill(2000);
  const auto expect_walk = [&](auto change) {
    ASSERT_TRUE(store_->close());
    store_.reset();
    auto wrong = superblock();
    change(wrong);
    ASSERT_TRUE(write_superblock(
        *memory_->open("/s/store", {storage::OpenOptions::Mode::kReadWrite}).value(), wrong));
    reopen_without_reset();
    EXPECT_GT(counts("blocks").reads, 20U);
    EXPECT_TRUE(store_->find(numbered_key(1)));
    put(1, "value");
    ASSERT_TRUE(store_->checkpoint());
    expect_sound(*memory_);
  };
  expect_walk([](Superblock& wrong) { ++wrong.space.values.offset_bytes; });
  expect_walk([](Superblock& wrong) { wrong.space.values = wrong.space.blocks; });
  expect_walk([](Superblock& wrong) { wrong.space.blocks = wrong.space.values; });
  expect_walk([](Superblock& wrong) { wrong.space.values = wrong.root; });
}

TEST_F(StoreSpaceMaps, SayWhatAWalkOfTheTreeSays) {
  fill(2000);
  {
    const auto cursor = store_->cursor();  // keeps the retired blocks
    fill(1000);
    ASSERT_TRUE(store_->checkpoint());
  }
  fill(500);
  ASSERT_TRUE(store_->sync());
  store_.reset();  // some values are in the log alone
  reopen_without_reset();
  EXPECT_FALSE(superblock().space.empty());
  const auto with_maps = store_->counters().used_bytes;
  expect_sound(*memory_);
  ASSERT_TRUE(store_->close());
  const auto before = superblock();
  store_.reset();
  flip("blocks", before.space.values.offset_bytes);
  auto checked = check_store(*memory_, "/s");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().offset(), before.space.values.offset_bytes);
  reopen_without_reset();  // walks the tree
  EXPECT_GT(counts("blocks").reads, 20U);
  EXPECT_LE(store_->counters().used_bytes, with_maps);
  Batch batch;
  batch.put("key", "value");
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_FALSE(superblock().space.empty());
  expect_sound(*memory_);
}

}  // namespace
}  // namespace dgfs::test
