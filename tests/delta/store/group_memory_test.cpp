// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A thread lacks memory while it logs a group. The next thread must not report that all is durable
// unless it is. It comes as soon as the first thread has released its last lock.
#include <new>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "tests/delta/store/lock_hooks.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using namespace delta;

class GroupMemory : public testing::Test {
 protected:
  using Call = Status (Store::*)();

  /// Makes each allocation of the call fail in turn, for several seeds.
  void run_all(Call call) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      for (std::uint64_t allocation = 1; run(call, seed, allocation); ++allocation) {
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", allocation " << allocation;
      }
    }
    EXPECT_GT(synced_, 20U);
  }

 private:
  /// Returns whether the allocation was reached.
  bool run(Call call, std::uint64_t seed, std::uint64_t allocation) {
    Random random(seed);
    const auto options = tiny_options(random);
    const auto env = storage::make_memory_env(1);
    auto store = open_store(*env, options);
    StoreModel model;
    for (int i = 0; i < 10; ++i) {
      const auto batch = random_batch(random, {60, 60, 4});
      EXPECT_TRUE(store->apply(batch));
      model.apply(batch);
    }
    bool is_durable = false;
    bool has_failed = false;
    {
      bool is_first = true;
      const FailingHeap* failing = nullptr;
      const LockHooks other(nullptr, [&](int held) {
        if (held > 0) return;
        const bool has_lacked = failing != nullptr && failing->failed();
        if (has_lacked && std::exchange(is_first, false)) is_durable |= sync_elsewhere(*store);
      });
      const FailingHeap heap(allocation);
      failing = &heap;
      try {
        is_durable |= (store.get()->*call)().has_value();
      } catch (const std::bad_alloc&) {
      }
      has_failed = heap.failed();
    }
    store.reset();
    env->crash(storage::CrashLoss::kDropUnsynced, seed);
    store = open_store(*env, options);
    if (is_durable) {
      EXPECT_EQ(values_of(*store), model.values());
    }
    return has_failed;
  }
  bool sync_elsewhere(Store& store) {
    bool is_synced = false;
    std::thread([&] { is_synced = store.sync().has_value(); }).join();
    if (is_synced) ++synced_;
    return is_synced;
  }

  std::uint64_t synced_ = 0;  ///< how often the other thread was told that all is durable
};

TEST_F(GroupMemory, WhoeverSyncsNextHasAllThatWasTaken) { run_all(&Store::sync); }

TEST_F(GroupMemory, WhoeverSyncsNextHasAllThatACheckpointHadTaken) { run_all(&Store::checkpoint); }

}  // namespace
}  // namespace dgfs::test
