// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// When a store has lost most of its contents, its files get shorter, at the cost of moving what is
// left at their ends.
#include <gtest/gtest.h>

#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

class StoreCleaning : public CountedStore {
 protected:
  StoreCleaning() : CountedStore({4096, 8192, 8, 1 << 17, 2048}) {
    options_.table_bytes = std::size_t{1} << 15;
    options_.spare_bytes = std::size_t{1} << 16;
    options_.punch_bytes = SIZE_MAX;  // free space counts as long as it takes space on the disk
    options_.level = 0;
    reopen();
  }

  // @param stride  between keys that are written one after the other; shares no factor with `count`
  void fill(int count, std::size_t value_bytes, int stride = 1) {
    for (int i = 0; i < count; ++i) {
      const int number = i * stride % count;
      values_[numbered_key(number)] = value_of(number, value_bytes);
      put(number, value_of(number, value_bytes));
    }
    checkpoint();
  }
  // Leaves a tenth, in stretches; the last ones lie at the ends of the files.
  void thin_out() {
    const auto count = static_cast<int>(values_.size());
    const auto stride = count / 4;
    for (int i = 0; i < count; i += stride) {
      const auto begin = numbered_key(i);
      const auto end = numbered_key(i + stride * 9 / 10);
      Batch batch;
      batch.remove_range({begin, end});
      ASSERT_TRUE(store_->apply(batch));
      values_.erase(values_.lower_bound(begin), values_.lower_bound(end));
    }
  }
  void checkpoint(int times = 1) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE(store_->checkpoint());
  }
  void expect_all() {
    EXPECT_TRUE(values_of(*store_) == values_);
    reopen();
    EXPECT_TRUE(values_of(*store_) == values_);
    store_ = nullptr;
    expect_sound(*memory_);
  }
  [[nodiscard]] std::uint64_t moved_bytes() const { return store_->counters().moved_bytes; }
  [[nodiscard]] static std::string value_of(int number, std::size_t bytes) {
    Random random(static_cast<std::uint64_t>(number));
    const auto content = random.bytes(bytes);
    return {content.begin(), content.end()};
  }

  std::map<std::string, std::string> values_;
};

TEST_F(StoreCleaning, MakesTheFileOfBlocksShorter) {
  fill(20000, 150);
  const auto before = size_bytes("blocks");
  thin_out();
  checkpoint(4);
  EXPECT_LE(size_bytes("blocks"), before / 4);
  EXPECT_GT(moved_bytes(), 0U);
  EXPECT_LE(moved_bytes(), report().used_bytes);
  expect_all();
}

TEST_F(StoreCleaning, MakesTheFileOfValuesShorter) {
  fill(4000, 2500);
  const auto before = size_bytes("extents");
  thin_out();
  checkpoint(3);
  EXPECT_LE(size_bytes("extents"), before / 5);
  const auto left = report();
  EXPECT_GT(moved_bytes(), left.large_value_bytes / 2);
  EXPECT_LE(moved_bytes(), left.large_value_bytes + left.used_bytes);
  expect_all();
}

// Each checkpoint does a bounded part of the cleaning.
TEST_F(StoreCleaning, MovesLittleAtATime) {
  options_.dirty_bytes = std::size_t{100} << 10;
  reopen();
  fill(4000, 2500);
  const auto before = size_bytes("extents");
  thin_out();
  checkpoint();
  int cleanings = 0;
  for (int i = 0; i < 40; ++i) {
    const auto moved_before = moved_bytes();
    checkpoint();
    EXPECT_LE(moved_bytes() - moved_before, options_.dirty_bytes);
    cleanings += moved_bytes() > moved_before ? 1 : 0;
  }
  EXPECT_GT(cleanings, 3);
  EXPECT_LE(size_bytes("extents"), before / 3);
  expect_all();
}

// The end of the file has values of keys from the whole tree. Moving them makes the store write so
// much of the tree anew that it cleans less at a time.
TEST_F(StoreCleaning, GoesOnWhereTheEndBelongsToManyLeaves) {
  options_.dirty_bytes = std::size_t{100} << 10;
  reopen();
  fill(4000, 2500, 1237);
  const auto before = size_bytes("extents");
  thin_out();
  checkpoint(200);
  EXPECT_LE(size_bytes("extents"), before / 2);
  expect_all();
}

// The cursor keeps the bytes at the ends of the files, so these stay as long. They are moved only
// once.
TEST_F(StoreCleaning, MovesNothingTwiceForACursor) {
  fill(4000, 2500);
  const auto before = values_;
  const auto bytes_before = size_bytes("extents");
  auto cursor = std::make_unique<Cursor>(store_->cursor());
  thin_out();
  checkpoint(2);
  cursor.reset();
  checkpoint();
  // Moved values may be older than this cursor.
  cursor = std::make_unique<Cursor>(store_->cursor());
  const auto left = values_;
  checkpoint(2);
  std::uint64_t left_bytes = 0;
  for (const auto& [key, value] : values_) left_bytes += value.size();
  const auto reads_before = env_->counts("/s/blocks").reads;
  checkpoint(100);
  EXPECT_LE(moved_bytes(), 2 * left_bytes);
  EXPECT_LE(env_->counts("/s/blocks").reads - reads_before, 100U);
  ASSERT_TRUE(cursor->seek(""));
  for (const auto& [key, value] : left) {
    ASSERT_TRUE(cursor->is_at_key());
    ASSERT_EQ(cursor->key(), key);
    ASSERT_TRUE(cursor->value().value() == value);
    ASSERT_TRUE(cursor->next());
  }
  cursor.reset();
  checkpoint(2);
  EXPECT_LE(size_bytes("extents"), bytes_before / 5);
  expect_all();
}

class StoreResting : public StoreCleaning {
 protected:
  // Returns the number of pieces of work.
  int rest() {
    for (int pieces = 0; pieces < 1000; ++pieces) {
      const auto more = store_->rest();
      EXPECT_TRUE(more) << more.error().message();
      if (!more || !more.value()) return pieces;
    }
    ADD_FAILURE() << "the store never rests";
    return 0;
  }
};

// The caller asks for no checkpoint. With nothing left to do, the store does nothing.
TEST_F(StoreResting, AStoreThatHasLostMuchGetsShorterByItself) {
  fill(20000, 150);
  const auto before = size_bytes("blocks");
  thin_out();
  EXPECT_LT(rest(), 20);
  EXPECT_LE(size_bytes("blocks"), before / 4);
  const auto checkpoints = store_->counters().checkpoints;
  const auto all = env_->all();
  EXPECT_EQ(rest(), 0);
  EXPECT_EQ(store_->counters().checkpoints, checkpoints);
  EXPECT_TRUE(env_->all() == all);
  expect_all();
}

TEST_F(StoreResting, SoDoesOneOfLargeValues) {
  fill(4000, 2500);
  const auto before = size_bytes("extents");
  thin_out();
  EXPECT_LT(rest(), 20);
  EXPECT_LE(size_bytes("extents"), before / 5);
  expect_all();
}

// Cleaning stops when it frees nothing.
TEST_F(StoreResting, GoesOnAsLongAsItGetsShorter) {
  options_.dirty_bytes = std::size_t{100} << 10;
  reopen();
  fill(4000, 2500, 1237);
  const auto before = size_bytes("extents");
  thin_out();
  rest();
  EXPECT_LT(size_bytes("extents"), before);
  EXPECT_EQ(rest(), 0);
  expect_all();
}

TEST_F(StoreResting, WaitsForWhoeverKeepsTheSpace) {
  fill(4000, 2500);
  const auto before = size_bytes("extents");
  auto cursor = std::make_unique<Cursor>(store_->cursor());
  thin_out();
  rest();
  EXPECT_GT(size_bytes("extents"), before / 2);
  EXPECT_EQ(rest(), 0);
  cursor.reset();
  EXPECT_GT(rest(), 0);
  EXPECT_LE(size_bytes("extents"), before / 5);
}

// A store that is opened and read has nothing to do.
TEST_F(StoreResting, BeginsAnewWhenSomethingIsApplied) {
  EXPECT_LE(rest(), 1);
  EXPECT_EQ(store_->counters().checkpoints, 0U);
  put(1, "value");
  EXPECT_EQ(rest(), 2) << "one piece notes the write, the next makes a checkpoint";
  EXPECT_EQ(store_->counters().checkpoints, 1U);
  EXPECT_EQ(rest(), 0);
}

}  // namespace
}  // namespace dgfs::test
