// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The memory that a store holds under any load. Operator new counts it, so that it is the same
// under each sanitizer. bench/tree shows that the process stays within the budget, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "delta/store/store.h"
#include "storage/posix/env.h"
#include "tests/support/heap_meter.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kMemoryBytes = std::size_t{32} << 20;

std::string key_of(std::uint64_t number) {
  auto key = std::to_string(number * 0x9E3779B97F4A7C15);
  key.resize(20, '-');
  return key;
}

std::string bytes_of(Random& random, std::size_t count) {
  const Buffer bytes = random.bytes(count);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class MemoryBudgetTest : public testing::Test {
 protected:
  MemoryBudgetTest() { reopen(); }

  // Opens again as after a crash: the log is replayed, and batches that were not logged are lost.
  void reopen() {
    store_.reset();
    StoreOptions options;
    options.create = true;
    options.memory_bytes = kMemoryBytes;
    options.level = 0;
    options.in_background = true;
    options.parameters.born_object = UINT64_MAX;
    auto opened = Store::open(*env_, dir_ / "store", options);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = std::move(opened).value();
    ASSERT_TRUE(store_->start());
  }
  void apply(const Batch& batch) {
    const auto applied = store_->apply(batch);
    ASSERT_TRUE(applied) << applied.error().message();
  }
  void put(std::uint64_t number, std::size_t bytes) {
    Batch batch;
    batch.put(key_of(number), bytes_of(random_, bytes));
    apply(batch);
  }
  void expect_within_budget(const std::string& after) const {
    EXPECT_LE(meter_.peak_bytes(), kMemoryBytes) << after;
  }

  TempDir dir_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  Random random_{1};
  HeapMeter meter_;
  std::unique_ptr<Store> store_;
};

TEST_F(MemoryBudgetTest, HoldsSmallValuesInAnyOrder) {
  constexpr std::uint64_t kKeys = 500'000;
  for (std::uint64_t i = 0; i < kKeys; ++i) put(i, 100);
  expect_within_budget("inserts");
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(store_->get(key_of(random_.below(kKeys))).value());
  }
  expect_within_budget("gets");
  for (std::uint64_t i = 0; i < kKeys / 2; ++i) {
    Batch batch;
    batch.patch(key_of(random_.below(kKeys)), 8, "abcd");
    apply(batch);
  }
  expect_within_budget("patches");
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(""));
  std::uint64_t count = 0;
  for (; cursor.is_at_key(); ++count) ASSERT_TRUE(cursor.next());
  EXPECT_EQ(count, kKeys);
  expect_within_budget("a scan");
  for (char begin = '1'; begin < '9'; ++begin) {
    Batch batch;
    batch.remove_range({std::string(1, begin), std::string(1, begin) + "5"});
    apply(batch);
  }
  ASSERT_TRUE(store_->checkpoint());
  expect_within_budget("range deletes");
}

TEST_F(MemoryBudgetTest, HoldsLargeValuesAsTheyComeAndAsPatches) {
  for (std::uint64_t i = 0; i < 1500; ++i) put(i, std::size_t{64} << 10);
  expect_within_budget("values of 64 KiB");
  for (std::uint64_t i = 0; i < 40; ++i) put(i, std::size_t{1} << 20);
  expect_within_budget("values of 1 MiB");
  const auto piece = bytes_of(random_, std::size_t{4} << 10);
  for (std::uint64_t i = 0; i < 1500; ++i) {
    for (std::uint64_t at = 0; at < 16; ++at) {
      Batch batch;
      batch.patch(key_of(2000 + i), at * piece.size(), piece);
      apply(batch);
    }
  }
  expect_within_budget("patches of 4 KiB");
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Batch batch;
    batch.patch(key_of(random_.below(1500)), random_.below(60 << 10), piece);
    apply(batch);
  }
  expect_within_budget("patches anywhere");
  for (std::uint64_t i = 0; i < 1500; ++i) ASSERT_TRUE(store_->get(key_of(i)).value());
  ASSERT_TRUE(store_->checkpoint());
  expect_within_budget("gets");
}

TEST_F(MemoryBudgetTest, HoldsWhatWasLoggedWhereItIsReplayed) {
  for (int round = 0; round < 4; ++round) {
    for (std::uint64_t i = 0; i < 60'000; ++i) put(random_.below(1'000'000), 100);
    ASSERT_TRUE(store_->sync());
    reopen();
    expect_within_budget("crash " + std::to_string(round));
  }
}

}  // namespace
}  // namespace dgfs::test
