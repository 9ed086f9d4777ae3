// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a store promises not to do, counted at the storage.
#include <gtest/gtest.h>

#include "storage/counting_env.h"
#include "storage/memory_env.h"
#include "tests/delta/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

std::string key_of(int number) { return "key" + std::to_string(100000 + number); }

class Mechanisms : public testing::Test {
 protected:
  Mechanisms() {
    options_.create = true;
    options_.parameters = {4096, 8192, 8, 1 << 20};
    options_.cache_bytes = 0;
    reopen();
  }
  void reopen() {
    store_.reset();
    store_ = open_store(*env_, options_);
    env_->reset();
  }
  void put_many(int count, std::size_t value_bytes) {
    for (int i = 0; i < count; ++i) {
      Batch batch;
      batch.put(key_of(i), std::string(value_bytes, 'v'));
      ASSERT_TRUE(store_->apply(batch));
    }
    ASSERT_TRUE(store_->checkpoint());
  }
  [[nodiscard]] StoreReport report() {
    auto checked = check_store(*memory_, "/s");
    EXPECT_TRUE(checked) << checked.error().message();
    return checked ? checked.value() : StoreReport();
  }
  [[nodiscard]] std::uint64_t logged_bytes() const {
    return env_->counts("/s/log.0").written_bytes + env_->counts("/s/log.1").written_bytes;
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::CountingEnv> env_ = storage::make_counting_env(*memory_);
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

TEST_F(Mechanisms, ChangesReadNothing) {
  put_many(2000, 100);
  reopen();
  for (int i = 0; i < 2000; i += 3) {
    Batch batch;
    batch.patch(key_of(i), 5, "four");
    batch.change_field(key_of(i + 1), {0, FieldOperation::kAdd, 1});
    batch.remove_range({key_of(i + 2), key_of(i + 3)});
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(env_->counts("/s/blocks").reads, 0U);
}

// Of what a fragment covers, nodes are read for the places of their blocks, and no basements.
TEST_F(Mechanisms, CoveredBasementsAreFreedUnread) {
  put_many(4000, 100);
  const auto before = report();
  ASSERT_GT(before.basements, 100U);
  reopen();
  Batch batch;
  batch.remove_range({key_of(100), key_of(3900)});
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(env_->counts("/s/blocks").reads, before.nodes + 4);
  // Twice: the first one keeps what the one before may need.
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LT(report().used_bytes, before.used_bytes / 5);
  EXPECT_EQ(values_of(*store_).size(), 200U);
}

TEST_F(Mechanisms, ASmallChangeTakesItsOwnBytesAndSixteenInTheLog) {
  constexpr int kChanges = 5000;
  std::uint64_t own_bytes = 0;
  for (int i = 0; i < kChanges; ++i) {
    Batch batch;
    batch.patch(key_of(i), 70000, "fourfour");
    own_bytes += key_of(i).size() + 8;
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_LE(logged_bytes(), own_bytes + 16 * kChanges);
  EXPECT_GT(logged_bytes(), 8U * kChanges);
}

TEST_F(Mechanisms, WhatDiesWithinAGroupIsNeverWritten) {
  for (int i = 0; i < 300; ++i) {
    Batch batch;
    batch.put("key", std::string(2000, static_cast<char>('a' + i % 26)));
    batch.put("other", std::string(2000, 'x'));
    batch.remove("other");
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(logged_bytes(), 4096U);
}

// A key that a scan goes past costs nothing where a range delete has it.
TEST_F(Mechanisms, AScanSeeksPastWhatIsGone) {
  put_many(4000, 100);
  reopen();
  Batch batch;
  batch.remove_range({key_of(10), key_of(3990)});
  ASSERT_TRUE(store_->apply(batch));
  EXPECT_EQ(values_of(*store_).size(), 20U);
  EXPECT_LE(env_->counts("/s/blocks").reads, 20U);
}

}  // namespace
}  // namespace dgfs::test
