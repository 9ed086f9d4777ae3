// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The space of large values that a range tombstone has removed: when the store may reuse it, and
// when the disk has it back.
#include "delta/store/dead_ranges.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/delta/store/counted_store.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kValueBytes = std::size_t{16} << 10;

KeyRange range_of(int begin, int end) { return {numbered_key(begin), numbered_key(end)}; }

TEST(DeadRanges, AreGivenOutOnce) {
  DeadRanges dead;
  Batch batch;
  batch.note_dead(range_of(1, 3), 1000);
  batch.note_dead(range_of(7, 9), 500);
  dead.add(batch, 5);
  dead.add(Batch(), 6);
  EXPECT_EQ(dead.bytes(), 1500U);
  EXPECT_EQ(dead.since_ns(), 5U);
  const auto ranges = dead.take();
  EXPECT_EQ(ranges.size(), 2U);
  EXPECT_TRUE(ranges.covers(range_of(1, 3)));
  EXPECT_EQ(dead.bytes(), 0U);
  EXPECT_TRUE(dead.take().empty());
}

TEST(DeadRanges, AreGivenOutAgainIfTheyWereNotSeenTo) {
  DeadRanges dead;
  Batch batch;
  batch.note_dead(range_of(1, 3), 1000);
  dead.add(batch, 5);
  dead.give_back(dead.take(), true);
  EXPECT_EQ(dead.bytes(), 1000U);
  dead.give_back(dead.take(), false);
  EXPECT_EQ(dead.bytes(), 0U);
  EXPECT_EQ(dead.take().size(), 1U);
}

TEST(DeadRanges, AreDueOnceMoreWhenTheyWereSeenTo) {
  DeadRanges dead;
  Batch batch;
  batch.note_dead(range_of(1, 3), 1000);
  dead.add(batch, 5);
  EXPECT_EQ(dead.take().size(), 1U);
  EXPECT_EQ(dead.bytes(), 0U);
  dead.note_seen_to();
  EXPECT_EQ(dead.bytes(), 1000U)
      << "the bytes stay noted for the checkpoint that frees their space";
  EXPECT_EQ(dead.since_ns(), 5U);
  EXPECT_TRUE(dead.take().empty());
  EXPECT_EQ(dead.bytes(), 0U);
}

TEST(DeadRanges, AreFewHoweverManyThereWere) {
  DeadRanges dead;
  for (int i = 0; i < 10'000; ++i) {
    Batch batch;
    batch.note_dead(range_of(2 * i, 2 * i + 1), 10);
    dead.add(batch, 1);
  }
  EXPECT_EQ(dead.bytes(), 100'000U);
  const auto ranges = dead.take();
  EXPECT_LE(ranges.size(), DeadRanges::kRangesMax);
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(ranges.covers(range_of(2 * i, 2 * i + 1)));
}

// Nodes, basements and buffers as large as with the usual parameters, so that a few values do not
// fill one.
class DeadSpace : public CountedStore {
 protected:
  DeadSpace() : CountedStore({64 << 10, 256 << 10, 16, 4 << 20, 2048}) {
    options_.spare_bytes = 1;
    options_.punch_bytes = kValueBytes;
  }

  void put_values(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      put(i, std::string(kValueBytes, static_cast<char>('a' + i % 26)));
    }
  }
  void remove(int begin, int end, bool is_noted) {
    Batch batch;
    batch.remove_range(range_of(begin, end));
    if (is_noted) {
      batch.note_dead(range_of(begin, end), static_cast<std::uint64_t>(end - begin) * kValueBytes);
    }
    ASSERT_TRUE(store_->apply(batch));
  }
  [[nodiscard]] std::uint64_t on_disk_bytes() const {
    return memory_->status("/s/extents").value().allocated_bytes;
  }
  void checkpoint_twice() {  // the first one keeps the space that the older state may need
    for (int i = 0; i < 2; ++i) {
      put(9999, std::to_string(i));
      ASSERT_TRUE(store_->checkpoint());
    }
  }
  void expect_values(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const auto value = store_->get(numbered_key(i));
      ASSERT_TRUE(value && value.value()) << i;
      EXPECT_EQ(*value.value(), std::string(kValueBytes, static_cast<char>('a' + i % 26)));
    }
  }
};

TEST_F(DeadSpace, OfWhatIsSaidToBeDeadIsFreeAfterACheckpoint) {
  put_values(0, 200);
  ASSERT_TRUE(store_->checkpoint());
  const auto all = on_disk_bytes();
  remove(50, 100, false);
  checkpoint_twice();
  EXPECT_GE(on_disk_bytes() + kValueBytes, all)
      << "the tombstone went down the tree without being noted as dead";
  remove(100, 150, true);
  checkpoint_twice();
  EXPECT_LE(on_disk_bytes(), all - 50 * kValueBytes);
  expect_values(0, 50);
  expect_values(150, 200);
  ASSERT_TRUE(store_->close());
  expect_sound(*memory_);
  reopen();
  expect_values(0, 50);
  expect_values(150, 200);
  EXPECT_FALSE(store_->get(numbered_key(60)).value());
}

// An opened store knows the holes of its files, so that it does not count on them on a full disk.
TEST_F(DeadSpace, IsKnownAgainWhenTheStoreIsOpened) {
  options_.table_bytes = options_.dirty_bytes = std::size_t{1} << 20;
  memory_ = storage::make_memory_env(1);
  store_ = nullptr;
  env_ = storage::make_counting_env(*memory_);
  reopen();
  constexpr int kCount = 1500;
  put_values(0, kCount);
  checkpoint_twice();
  remove(100, kCount - 1, true);
  checkpoint_twice();
  EXPECT_LE(on_disk_bytes(), kCount * kValueBytes / 2);
  ASSERT_TRUE(store_->close());
  std::uint64_t on_disk = 0;
  for (const char* file : {"store", "log.0", "log.1", "blocks", "extents"}) {
    on_disk += memory_->status(std::string("/s/") + file).value().allocated_bytes;
  }
  constexpr std::uint64_t kLeftBytes = std::uint64_t{12} << 20;
  memory_->set_capacity(on_disk + kLeftBytes);
  reopen();
  const auto space = store_->space();
  // Free stretches between blocks that are no holes count, too.
  EXPECT_LE(space.free_bytes, kLeftBytes + (4 << 20));
  const auto free = static_cast<int>(space.free_bytes / kValueBytes) * 8 / 10;
  EXPECT_GT(free, 100);
  put_values(kCount, kCount + free);
  ASSERT_TRUE(store_->sync());
  expect_values(0, 100);
  expect_values(kCount, kCount + free);
}

// A range with more bytes to move than one checkpoint should write takes several checkpoints.
TEST_F(DeadSpace, OfALongRangeIsFreeAfterSomeCheckpoints) {
  options_.parameters = {2048, 8192, 4, 4 << 20, 8192};
  options_.dirty_bytes = 4096;
  memory_ = storage::make_memory_env(1);
  store_ = nullptr;
  env_ = storage::make_counting_env(*memory_);
  reopen();
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) put(i, std::string(600, static_cast<char>('a' + i % 26)));
  checkpoint_twice();
  for (int i = 0; i < kCount; i += 2) put(i, "short");
  Batch batch;
  batch.put(numbered_key(0), "x");
  batch.note_dead(range_of(0, kCount), std::uint64_t{8} << 20);
  ASSERT_TRUE(store_->apply(batch));
  constexpr std::uint64_t kOfOneMax = std::uint64_t{3} << 20;
  auto before = store_->counters().block_bytes;
  int checkpoints = 0;
  for (; checkpoints < 100; ++checkpoints) {
    put(kCount + 1, std::to_string(checkpoints));
    ASSERT_TRUE(store_->checkpoint());
    const auto written = store_->counters().block_bytes - before;
    EXPECT_LE(written, kOfOneMax);
    before += written;
    if (written < 100'000) break;
  }
  EXPECT_GE(checkpoints, 2);
  EXPECT_LT(checkpoints, 100);
}

// Ranges all over a tree of several levels; removed keys lie among those that stay.
TEST_F(DeadSpace, OfManyRangesIsFree) {
  options_.parameters = {2048, 8192, 4, 4 << 20, 2048};
  memory_ = storage::make_memory_env(1);
  store_ = nullptr;
  env_ = storage::make_counting_env(*memory_);
  reopen();
  constexpr int kCount = 2000;
  put_values(0, kCount);
  checkpoint_twice();
  const auto all = on_disk_bytes();
  const auto used = store_->space().used_bytes;
  for (int i = 0; i < kCount; i += 10) remove(i, i + 5, true);
  checkpoint_twice();
  EXPECT_LE(on_disk_bytes(), all * 68 / 100);  // some space is kept for coming values
  while (store_->rest().value()) {
  }
  constexpr std::uint64_t kRemovedBytes = kCount / 2 * kValueBytes;
  EXPECT_LE(store_->space().used_bytes, used - kRemovedBytes);
  EXPECT_LE(on_disk_bytes(), all * 62 / 100);  // the store asks for an eighth of the file ahead
  for (int i = 5; i < kCount; i += 10) expect_values(i, i + 5);
  ASSERT_TRUE(store_->close());
  expect_sound(*memory_);
}

// A tree in which no message waits for the ranges stays as it is.
TEST_F(DeadSpace, CostsNothingWhereNothingWaits) {
  put_values(0, 50);
  checkpoint_twice();
  Batch batch;
  batch.put(numbered_key(9999), "x");
  batch.note_dead(range_of(0, 50), 1 << 20);
  ASSERT_TRUE(store_->apply(batch));
  const auto before = store_->counters().block_bytes;
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LT(store_->counters().block_bytes - before, 4096U);
}

// In a store with threads the caller need not ask for a checkpoint.
TEST_F(DeadSpace, IsFreeByItselfWithThreads) {
  options_.in_background = true;
  options_.dead_interval = std::chrono::milliseconds(10);
  options_.commit_interval = std::chrono::milliseconds(20);
  reopen();
  ASSERT_TRUE(store_->start());
  put_values(0, 100);
  ASSERT_TRUE(store_->checkpoint());
  const auto all = on_disk_bytes();
  remove(20, 80, true);
  // This happens soon, or once the store rests, if a thread had a view when the checkpoint ended.
  for (int i = 0; i < 3000 && on_disk_bytes() > all - 50 * kValueBytes; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(on_disk_bytes(), all - 50 * kValueBytes);
}

}  // namespace
}  // namespace dgfs::test
