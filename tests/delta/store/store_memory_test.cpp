// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation during work on a store fails in turn. The call throws or returns an error. If
// this was in the middle of a batch, the store refuses all calls from then on; otherwise it goes on
// unchanged. No space is lost, and the disk holds a prefix of the work.
#include <gtest/gtest.h>

#include <new>

#include "storage/memory/env.h"
#include "tests/delta/store/crash/crash_history.h"
#include "tests/delta/store/filter/let_through.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using namespace delta;

class StoreMemoryTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Does work in which one allocation fails. Returns whether that allocation was reached.
  bool run(std::uint64_t allocation) {
    Random random(GetParam());
    auto options = tiny_options(random);
    if (GetParam() % 2 == 1) options.parameters.born_object = UINT64_MAX;  // the store has a filter
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
    if (has_thrown && !store->get("later")) expect_torn(*store);
    EXPECT_TRUE(failed_ || !(has_thrown || is_refused));
    if (!has_thrown && !is_refused) {
      EXPECT_EQ(values_of(*store), history.values());
    }
    store.reset();
    store = open_store(*env, options);
    EXPECT_TRUE(history.find(values_of(*store)));
    expect_let_through(*store, options.parameters.born_object);
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
        take_cursor(store);
        return store.maintain();
      case 3:
        return store.checkpoint();
      default:
        return ok();
    }
  }
  /// A cursor that lacks memory changes nothing: the store goes on.
  static void take_cursor(const Store& store) {
    try {
      static_cast<void>(store.cursor());
    } catch (const std::bad_alloc&) {
    }
  }
  /// The batch of the last step may be in the store or not; batches synced before must be.
  void note(CrashHistory& history, const std::vector<Batch>& batches) const {
    for (std::size_t i = 0; i <= done_; ++i) {
      history.add(batches[i]);
      if (i % 2 == 1 && i < done_) history.note_durable();
    }
  }
  static void expect_torn(Store& store) {
    Batch batch;
    batch.put("later", "value");
    for (const auto& refused : {applied(store, batch), store.sync(), store.checkpoint()}) {
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
  EXPECT_GT(allocation, 500U);
}

// Work in which one allocation fails, or all from one on. All batches are in the log or in memory
// before. The work then has no effect, or a part of it. The store goes on, and no space is lost.
class StoreWorkMemoryTest : public testing::Test {
 protected:
  using Work = Status (Store::*)();
  using Lasts = FailingHeap::Lasts;

  /// Fails each allocation in turn, for several seeds. One store in six has nothing to do, so more
  /// seeds follow until enough allocations have failed.
  void run_all(Work work, Lasts lasts = Lasts::kOnce) {
    constexpr std::uint64_t kFailedMin = 800;
    constexpr std::uint64_t kSeedsMin = 3;
    constexpr std::uint64_t kSeedsMax = 100;  // each seed has some 250 allocations
    for (std::uint64_t seed = 0; seed < kSeedsMin || failed_ < kFailedMin; ++seed) {
      ASSERT_LT(seed, kSeedsMax) << failed_ << " allocations failed";
      for (std::uint64_t allocation = 1; run(work, seed, allocation, lasts); ++allocation) {
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", allocation " << allocation;
        ++failed_;
      }
    }
  }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::uint64_t over() const { return over_; }
  /// How often a run has moved something to make a file shorter.
  [[nodiscard]] std::uint64_t cleaned() const { return cleaned_; }

  bool is_sparse_ = false;  ///< whether the store's files have much free space

 private:
  enum class Outcome {
    kDone,
    kRefused,
    kOver,  ///< a write ended in an unknown state: the store writes no more
  };

  /// Returns whether the allocation was reached.
  bool run(Work work, std::uint64_t seed, std::uint64_t allocation, Lasts lasts) {
    prepare(seed);
    const auto moved_bytes = store_->counters().moved_bytes;
    bool has_failed = false;
    Outcome outcome = Outcome::kDone;
    {
      const FailingHeap heap(allocation, lasts);
      outcome = attempt(work);
      has_failed = heap.failed();
    }
    if (store_->counters().moved_bytes != moved_bytes) ++cleaned_;
    EXPECT_TRUE(values_of(*store_) == model_.values());
    const bool is_closed = outcome == Outcome::kDone && work == &Store::close;
    if (outcome == Outcome::kRefused && is_over(work)) outcome = Outcome::kOver;
    if (outcome == Outcome::kOver) {
      ++over_;
      expect_no_more_writing();
    } else {
      if (!is_closed) expect_to_go_on(work);
      if (work != &Store::close) expect_to_have_lost_no_space();
      is_durable_ = true;
    }
    expect_to_be_whole_when_reopened();
    return has_failed;
  }

  void prepare(std::uint64_t seed) {
    Random random(seed);
    options_ = tiny_options(random);
    if (seed % 2 == 1) options_.parameters.born_object = UINT64_MAX;
    if (is_sparse_) {
      options_.dirty_bytes = 65536;
      options_.parameters.segment_bytes = 262144;  // so the store makes no checkpoint unasked
    }
    env_ = storage::make_memory_env(1);
    store_ = open_store(*env_, options_);
    model_ = StoreModel();
    if (is_sparse_) {
      prepare_sparse(random);
    } else {
      prepare_busy(random);
    }
  }
  /// The tree has keys that will be cut off; the log has values that will die before the tree gets
  /// them.
  void prepare_busy(Random& random) {
    for (int i = 0; i < 40; ++i) {
      apply(random_batch(random, {60, 120, 6}));
      if (i == 29) fill_subtree(random);
      if (i == 30) {
        EXPECT_TRUE(store_->checkpoint());
      }
      if (i == 34) {
        EXPECT_TRUE(store_->sync());
      }
    }
    apply(without_subtree());
    is_durable_ = random.one_in(2);
    if (is_durable_) {
      EXPECT_TRUE(store_->sync());
    }
  }
  /// Makes the files have much free space before their used end.
  void prepare_sparse(Random& random) {
    fill_subtree(random, 150);
    EXPECT_TRUE(store_->checkpoint());
    Batch batch;
    batch.remove_range({"wide11", "wide95"});
    apply(batch);
    EXPECT_TRUE(store_->checkpoint());  // after this their space is free
    is_durable_ = true;
    fill_subtree(random, 1);
    EXPECT_TRUE(store_->sync());
  }
  void fill_subtree(Random& random, int count = 40) {
    for (int i = 0; i < count; ++i) {
      const auto value = random.bytes(50 + random.below(60));
      Batch batch;
      batch.put("wide" + std::to_string(i), std::string(value.begin(), value.end()));
      apply(batch);
    }
  }
  static Batch without_subtree() {
    Batch batch;
    batch.remove_range({"wide", "widf"});
    return batch;
  }
  void apply(const Batch& batch) {
    ASSERT_TRUE(store_->apply(batch));
    model_.apply(batch);
  }
  Outcome attempt(Work work) {
    try {
      const auto done = (store_.get()->*work)();
      if (done) return Outcome::kDone;
      ++refused_;
      if (done.error().kind() == ErrorKind::kIo) return Outcome::kOver;
      EXPECT_EQ(done.error().kind(), ErrorKind::kLimit) << done.error().message();
    } catch (const std::bad_alloc&) {  // there was no memory even for an error
      ++refused_;
    }
    return Outcome::kRefused;
  }
  /// Memory is available again. Returns whether the work that was refused for lack of it stays
  /// refused.
  [[nodiscard]] bool is_over(Work work) {
    if (!store_->sync()) return true;
    if (work == &Store::close) expect_to_be_open();
    const auto done = (store_.get()->*work)();
    EXPECT_TRUE(done || done.error().kind() == ErrorKind::kIo) << done.error().message();
    return !done;
  }
  /// After a close() that failed, a checkpoint must not say that the log ends there.
  void expect_to_be_open() {
    if (!store_->checkpoint()) return;
    const auto superblock = read_store_superblock(*env_, "/s");
    ASSERT_TRUE(superblock);
    EXPECT_FALSE(superblock.value().log.is_end);
  }
  void expect_to_go_on(Work work) {
    if (work == &Store::close) return;
    Batch batch;
    batch.put("later", "value");
    batch.remove_range({"key2", "key4"});
    apply(batch);
    EXPECT_TRUE((store_.get()->*work)());
    EXPECT_TRUE(store_->sync());
    EXPECT_TRUE(values_of(*store_) == model_.values());
  }
  void expect_no_more_writing() {
    EXPECT_FALSE(store_->apply(Batch()));
    EXPECT_FALSE(store_->sync());
    EXPECT_FALSE(store_->checkpoint());
  }
  /// A checkpoint frees what was retired before it. Opening the store finds out what is in use;
  /// both must agree.
  void expect_to_have_lost_no_space() {
    EXPECT_TRUE(store_->checkpoint());
    const auto used_bytes = store_->counters().used_bytes;
    EXPECT_EQ(store_->counters().held_bytes, 0U);
    reopen();
    EXPECT_EQ(used_bytes, store_->counters().used_bytes);
  }
  void expect_to_be_whole_when_reopened() {
    reopen();
    if (is_durable_) {
      EXPECT_TRUE(values_of(*store_) == model_.values());
    }
    EXPECT_TRUE(store_->checkpoint());
    store_ = nullptr;
    expect_sound(*env_);
  }
  void reopen() {
    store_ = nullptr;
    store_ = open_store(*env_, options_);
    expect_let_through(*store_, options_.parameters.born_object);
  }

  StoreOptions options_;
  std::unique_ptr<storage::MemoryEnv> env_;
  std::unique_ptr<Store> store_;
  StoreModel model_;
  bool is_durable_ = false;  ///< whether all of the model is durable
  std::uint64_t failed_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t over_ = 0;
  std::uint64_t cleaned_ = 0;
};

TEST_F(StoreWorkMemoryTest, MaintenanceIsDoneOrUndone) {
  run_all(&Store::maintain);
  EXPECT_GT(refused(), failed() / 2);
}

TEST_F(StoreWorkMemoryTest, MaintenanceIsDoneOrUndoneWhereMemoryStaysAway) {
  run_all(&Store::maintain, Lasts::kOn);
}

TEST_F(StoreWorkMemoryTest, ACheckpointIsDoneOrUndone) {
  run_all(&Store::checkpoint);
  EXPECT_GT(refused(), failed() / 2);
  EXPECT_LT(over(), failed() / 20);
}

TEST_F(StoreWorkMemoryTest, ACheckpointIsDoneOrUndoneWhereMemoryStaysAway) {
  run_all(&Store::checkpoint, Lasts::kOn);
  EXPECT_LT(over(), failed() / 20);
}

TEST_F(StoreWorkMemoryTest, ACleaningThatIsUndoneLosesNoSpace) {
  is_sparse_ = true;
  run_all(&Store::checkpoint);
  EXPECT_GT(cleaned(), failed() / 20);
}

TEST_F(StoreWorkMemoryTest, ASyncIsDoneOrUndone) {
  run_all(&Store::sync);
  EXPECT_GT(refused(), failed() / 2);
  EXPECT_LT(over(), failed() / 4);
}

TEST_F(StoreWorkMemoryTest, AStoreThatCouldNotBeClosedGoesOn) {
  run_all(&Store::close);
  EXPECT_LT(over(), failed() / 20);
}

// Fails each allocation of a call that applies a batch. Before the table changes, the batch is
// refused, and the store goes on. A failure after that leaves the store torn.
class BatchMemory : public testing::Test {
 protected:
  enum class End : std::uint8_t { kDone, kRefused, kTorn };

  [[nodiscard]] static Batch make_batch(int number) {
    Batch batch;
    const auto key = std::string(30, static_cast<char>('a' + number));
    batch.put(key + "large", std::string(500, 'v'));
    batch.put(key, "a value that is short, and no short string");
    batch.put(key + "larger", std::string(5000, 'v'));
    batch.remove_range({key + "m", key + "n"});
    return batch;
  }
  // @param is_full  whether ordinary batches are refused for lack of space
  void run(std::uint64_t allocation, bool is_full) {
    Random random(1);
    auto options = tiny_options(random);
    options.parameters.segment_bytes = 1 << 16;
    options.table_bytes = 1 << 16;
    const auto env = storage::make_memory_env(1);
    const auto store = open_store(*env, options);
    StoreModel model;
    for (int i = 0; i < 3; ++i) apply(*store, make_batch(i), model);
    if (is_full) fill(*env, *store, model);
    const auto batch = make_batch(5);
    try {
      const FailingHeap heap(allocation);
      const auto applied = store->apply(batch);
      end_ = applied ? End::kDone : End::kRefused;
      code_ = applied ? 0 : applied.error().code();
      has_failed_ = heap.failed();
    } catch (const std::bad_alloc&) {
      has_failed_ = true;
      end_ = End::kTorn;
      EXPECT_EQ(applied(*store, batch).error().code(), 7094);
    }
    if (end_ == End::kTorn) return;
    if (end_ == End::kDone) model.apply(batch);
    EXPECT_EQ(values_of(*store), model.values());
    env->set_capacity(UINT64_MAX);
    ASSERT_TRUE(store->make_space());
    apply(*store, make_batch(6), model);
    EXPECT_TRUE(store->sync());
    EXPECT_TRUE(store->checkpoint());
    EXPECT_EQ(values_of(*store), model.values());
  }
  static void apply(Store& store, const Batch& batch, StoreModel& model) {
    ASSERT_TRUE(store.apply(batch));
    model.apply(batch);
  }
  static void fill(storage::MemoryEnv& env, Store& store, StoreModel& model) {
    env.set_capacity(1);
    for (int i = 0;; ++i) {
      Batch batch;
      batch.put("fill" + std::to_string(i), "some bytes");
      if (!applied(store, batch)) return;
      model.apply(batch);
      ASSERT_LT(i, 1000000);
    }
  }

  End end_ = End::kDone;
  std::uint16_t code_ = 0;
  bool has_failed_ = false;
};

TEST_F(BatchMemory, IsWhatABatchIsRefusedForBeforeItChangesAnything) {
  std::uint64_t refused = 0;
  std::uint64_t torn = 0;
  for (std::uint64_t allocation = 1;; ++allocation) {
    run(allocation, false);
    ASSERT_FALSE(HasFailure()) << "allocation " << allocation;
    if (!has_failed_) break;
    EXPECT_NE(end_, End::kDone);
    if (end_ == End::kTorn) ++torn;
    if (end_ == End::kRefused) {
      ++refused;
      EXPECT_EQ(code_, 7161);
      EXPECT_EQ(torn, 0U) << "allocation " << allocation
                          << ": the batch had changed something before it failed";
    }
  }
  EXPECT_GT(refused, 5U);
  EXPECT_GT(torn, 5U);
}

TEST_F(BatchMemory, MayLackForARefusal) {
  std::uint64_t allocation = 1;
  do {
    run(allocation, true);
    ASSERT_FALSE(HasFailure()) << "allocation " << allocation;
    EXPECT_EQ(end_, End::kRefused);
    ++allocation;
  } while (has_failed_);
  EXPECT_GT(allocation, 2U);
}

// The failure comes before anything has changed: the store goes on.
TEST(StoreFilterMemory, ABatchIsRefusedWhereThereIsNoneForTheFilter) {
  Random random(1);
  auto options = tiny_options(random);
  options.parameters.born_object = UINT64_MAX;
  Batch batch;
  batch.put("key", "value");
  int refused = 0;
  for (std::uint64_t allocation = 1; allocation < 40; ++allocation) {
    const auto env = storage::make_memory_env(1);
    const auto store = open_store(*env, options);
    Result<std::uint64_t> applied = std::uint64_t{0};
    try {
      const FailingHeap heap(allocation);
      applied = store->apply(batch);
    } catch (const std::bad_alloc&) {
      continue;
    }
    if (applied) continue;
    ++refused;
    EXPECT_EQ(applied.error().kind(), ErrorKind::kLimit) << applied.error().message();
    EXPECT_EQ(store->get("key").value(), std::nullopt);
    ASSERT_TRUE(store->apply(batch));
    EXPECT_EQ(store->get("key").value(), "value");
    EXPECT_TRUE(store->may_have('k', std::uint64_t{'e'} << 56 | std::uint64_t{'y'} << 48));
  }
  EXPECT_GE(refused, 2);  // one for the stage, one for its words
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreMemoryTest, testing::Range<std::uint64_t>(0, 3));

}  // namespace
}  // namespace dgfs::test
