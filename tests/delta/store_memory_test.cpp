// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memory that cannot be had, at each allocation of work on a store in turn: the call throws, or
// says so; from then on the store refuses, or goes on as if nothing had been; and what the disk
// holds is a prefix of the work.
#include <gtest/gtest.h>

#include <new>

#include "storage/memory_env.h"
#include "tests/delta/crash_history.h"
#include "tests/delta/tiny_store.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using namespace delta;

class StoreMemoryTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Work of which one allocation fails. Returns whether it was reached.
  bool run(std::uint64_t allocation) {
    Random random(GetParam());
    const auto options = tiny_options(random);
    const auto env = storage::make_memory_env(1);
    auto store = open_store(*env, options);
    CrashHistory history;
    std::vector<Batch> batches;
    for (int i = 0; i < 20; ++i) batches.push_back(random_batch(random, {60, 120, 6}));
    bool has_thrown = false;
    bool is_refused = false;
    {
      const FailingHeap heap(allocation);
      for (std::size_t i = 0; i < batches.size() && !has_thrown && !is_refused; ++i) {
        try {
          is_refused = !step(*store, batches[i], i);
        } catch (const std::bad_alloc&) {
          has_thrown = true;
        }
        done_ = i;
      }
      failed_ = heap.failed();
    }
    note(history, batches);
    if (has_thrown) expect_torn(*store);
    EXPECT_TRUE(failed_ || !(has_thrown || is_refused));
    if (!failed_) {
      EXPECT_EQ(values_of(*store), history.values());
    }
    store.reset();
    store = open_store(*env, options);
    EXPECT_TRUE(history.find(values_of(*store)));
    expect_sound_after(*env, std::move(store));
    return failed_;
  }

 private:
  static Status step(Store& store, const Batch& batch, std::size_t number) {
    DGFS_CHECK(store.apply(batch));
    switch (number % 4) {
      case 1:
        return store.sync();
      case 2:
        static_cast<void>(store.cursor());
        return store.maintain();
      case 3:
        return store.checkpoint();
      default:
        return ok();
    }
  }
  /// The batch of the last step may be there or not; what was synced before it must be.
  void note(CrashHistory& history, const std::vector<Batch>& batches) const {
    for (std::size_t i = 0; i <= done_; ++i) {
      history.add(batches[i]);
      if (i % 2 == 1 && i < done_) history.note_durable();
    }
  }
  static void expect_torn(Store& store) {
    Batch batch;
    batch.put("later", "value");
    for (const auto& refused : {store.apply(batch), store.sync(), store.checkpoint()}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind(), ErrorKind::kLimit) << refused.error().message();
    }
    EXPECT_FALSE(store.get("later"));
    EXPECT_THROW(static_cast<void>(store.cursor()), std::bad_alloc);
  }
  static void expect_sound_after(storage::Env& env, std::unique_ptr<Store> store) {
    EXPECT_TRUE(store->checkpoint());
    store.reset();
    expect_sound(env);
  }

  std::size_t done_ = 0;
  bool failed_ = false;
};

TEST_P(StoreMemoryTest, KeepsAPrefix) {
  std::uint64_t allocation = 1;
  while (run(allocation)) {
    ASSERT_FALSE(HasFailure()) << "allocation " << allocation;
    ++allocation;
  }
  EXPECT_GT(allocation, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreMemoryTest, testing::Range<std::uint64_t>(0, 6));

}  // namespace
}  // namespace dgfs::test
