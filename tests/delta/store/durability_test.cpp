// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The store tells by the number of a batch what is durable.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "storage/memory/env.h"
#include "tests/delta/store/counted_store.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

class Durability : public testing::Test {
 protected:
  Durability() { options_.create = true; }
  void open() {
    store_ = nullptr;
    store_ = open_store(hooked_, options_);
    calls_.clear();
  }
  std::uint64_t put(const std::string& key) {
    Batch batch;
    batch.put(key, "value");
    const auto sequence = store_->apply(batch);
    EXPECT_TRUE(sequence);
    return sequence ? sequence.value() : 0;
  }
  /// Waits a minute at most.
  void wait_until_durable(std::uint64_t sequence) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (store_->durable() < sequence && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(store_->durable(), sequence);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::vector<storage::CallKind> calls_;
  HookEnv hooked_{*env_, [this](storage::CallKind kind, const std::string&) {
                    calls_.push_back(kind);
                    return Status(ok());
                  }};
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

TEST_F(Durability, IsToldByNumber) {
  using Calls = std::vector<storage::CallKind>;
  open();
  const auto first = put("a");
  const auto second = put("b");
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(store_->durable(), first - 1);
  EXPECT_EQ(calls_, Calls()) << "applying a batch calls no storage";
  ASSERT_TRUE(store_->sync(first));
  EXPECT_EQ(calls_, (Calls{storage::CallKind::kWrite, storage::CallKind::kSync}));
  EXPECT_EQ(store_->durable(), second) << "both batches were in the group";
  calls_.clear();
  ASSERT_TRUE(store_->sync(second));
  ASSERT_TRUE(store_->sync(first));
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(calls_, Calls());
  const auto third = put("c");
  ASSERT_TRUE(store_->sync(second));
  EXPECT_EQ(calls_, Calls()) << "no later batch is synced";
  EXPECT_EQ(store_->sync(third + 1).error().kind(), ErrorKind::kInvalidArgument);
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(store_->durable(), third);
  ASSERT_TRUE(store_->close());
  open();
  EXPECT_EQ(store_->durable(), third);
  EXPECT_EQ(put("d"), third + 1) << "batch numbers continue after reopening";
}

TEST_F(Durability, OfEachBatchWithoutAnInterval) {
  options_.commit_interval = std::chrono::milliseconds(0);
  for (const bool in_background : {false, true}) {
    options_.in_background = in_background;
    open();
    ASSERT_TRUE(store_->start());
    const auto sequence = put(in_background ? "a" : "b");
    EXPECT_EQ(store_->durable(), sequence);
    Batch batch;
    batch.put("c", "value");
    ASSERT_TRUE(store_->try_apply(batch));
    if (in_background) {
      wait_until_durable(sequence + 1);
    } else {
      EXPECT_EQ(store_->durable(), sequence)
          << "try_apply() does not wait, and no thread makes the batch durable";
    }
    store_ = nullptr;
    env_->crash(storage::CrashLoss::kDropUnsynced, 1);
    open();
    EXPECT_EQ(values_of(*store_).size(), in_background ? 3U : 1U);
  }
}

// The disk gets the state that it would have after a crash.
TEST_F(Durability, AClosedStoreIsCheckpointedOrSaysWhyNot) {
  open();
  put("a");
  ASSERT_TRUE(store_->close());
  const auto report = check_store(*env_, "/s");
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().log_groups, 0U);
  bool is_failing = false;
  HookEnv failing(*env_, [&](storage::CallKind kind, const std::string& path) -> Status {
    const bool is_hit = is_failing && kind == storage::CallKind::kWrite;
    return is_hit ? Status(Error(ErrorKind::kIo, 1192, "a write fails").in_file(path)) : ok();
  });
  store_ = nullptr;
  store_ = open_store(failing, options_);
  put("b");
  is_failing = true;
  EXPECT_EQ(store_->close().error().kind(), ErrorKind::kIo);
  store_ = nullptr;
  open();
  EXPECT_EQ(values_of(*store_).size(), 1U);
}

}  // namespace
}  // namespace dgfs::test
