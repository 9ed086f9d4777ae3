// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stores of tiny parameters against a std::map: a few hundred operations cause splits, flushes,
// merges, checkpoints and changes of the log segment.
#include "delta/store/store.h"

#include <gtest/gtest.h>

#include "delta/store/message/overlay.h"
#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/store/model_run.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

class StoreModelTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StoreModelTest, AnswersAsAMapDoes) {
  for (std::uint64_t round = 0; round < 12; ++round) {
    static_cast<void>(expect_like_a_map(GetParam() * 1000 + round));
    if (HasFatalFailure()) return;
  }
}

// A store over a layer that has keys, too: the store's message for a key, over the layer's value,
// gives the merged value.
TEST_P(StoreModelTest, SaysWhatHappensToALowerLayer) {
  for (std::uint64_t round = 0; round < 6; ++round) {
    Random random(GetParam() * 1000 + round);
    const auto env = storage::make_memory_env(1);
    auto options = tiny_options(random);
    options.parameters.born_object = UINT64_MAX;
    auto store = open_store(*env, options);
    BatchShape shape;
    shape.keys = 20 + random.below(200);
    shape.may_erase = false;
    Values lower;
    StoreModel model;
    for (auto count = random.below(shape.keys); count > 0; --count) {
      Batch batch;
      const auto key = random_key(random, shape);
      batch.put(key, "below " + key);
      lower[key] = "below " + key;
      model.apply(batch);
    }
    for (int step = 0; step < 400; ++step) {
      const auto batch = random_batch(random, shape);
      ASSERT_TRUE(store->apply(batch));
      model.apply(batch);
      if (random.one_in(30)) {
        ASSERT_TRUE(store->checkpoint());
      }
      if (random.one_in(100)) {
        ASSERT_TRUE(store->sync());
        store = nullptr;
        store = open_store(*env, options);
      }
      for (int i = 0; i < 5; ++i) {
        const auto key = random_key(random, shape);
        const auto said = store->find(key);
        ASSERT_TRUE(said) << said.error().message();
        const auto below = lower.find(key);
        const auto both = composed(
            below == lower.end() ? Message::removal() : Message::put(below->second), said.value());
        const auto expected = model.values().find(key);
        ASSERT_EQ(both.kind == MessageKind::kPut, expected != model.values().end()) << key;
        if (expected != model.values().end()) {
          ASSERT_EQ(*both.value, expected->second) << key;
        }
      }
    }
    expect_sound(*env);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreModelTest, testing::Range<std::uint64_t>(0, 8));

TEST(Store, IsMadeOnlyIfAskedFor) {
  const auto env = storage::make_memory_env(1);
  EXPECT_EQ(Store::open(*env, "/s", {}).error().kind(), ErrorKind::kNotFound);
}

// The kernel may have dropped the pages that it could not write, and let the next sync succeed.
TEST(Store, WritesNothingAfterAFailedSyncUntilItIsOpenedAgain) {
  const auto memory = storage::make_memory_env(1);
  const auto faulty = storage::make_faulty_env(*memory, 1);
  Random random(1);
  const auto options = tiny_options(random);
  auto store = open_store(*faulty, options);
  Batch batch;
  batch.put("key", "value");
  ASSERT_TRUE(store->apply(batch));
  faulty->arm({storage::FaultKind::kIoError, 2});  // the write of the group, then its sync
  const auto failed = store->sync();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);
  for (const auto& again :
       {store->sync(), applied(*store, batch), store->maintain(), store->checkpoint()}) {
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message(), failed.error().message());
  }
  EXPECT_EQ(*store->get("key").value(), "value");
  store = nullptr;
  store = open_store(*memory, options);
  EXPECT_TRUE(store->apply(batch));
  EXPECT_TRUE(store->sync());
}

std::unique_ptr<storage::FaultyEnv> make_faulty_for(storage::Env& base, const std::string& path) {
  auto faulty = storage::make_faulty_env(base, 1);
  faulty->only_for([path](const std::string& each) { return each == path; });
  return faulty;
}

Batch batch_of(const std::string& key) {
  Batch batch;
  batch.put(key, "value");
  return batch;
}

// A process may read a superblock that another process has written but not synced. It must not use
// space that only this superblock calls free.
TEST(Store, KeepsTheBlocksOfASuperblockThatMayBeTheOneOnTheDisk) {
  const auto memory = storage::make_memory_env(1);
  Random random(1);
  const auto options = tiny_options(random);
  for (const auto& [key, call] : {std::pair{"ends at the sync", 2}, {"at the write", 1}}) {
    const auto faulty = make_faulty_for(*memory, "/s/store");
    const auto store = open_store(*faulty, options);
    ASSERT_TRUE(store->apply(batch_of(key)));
    faulty->arm({storage::FaultKind::kStop, static_cast<std::uint64_t>(call)});
    ASSERT_FALSE(store->checkpoint());
  }
  memory->crash(storage::CrashLoss::kDropUnsynced, 1);
  const auto store = open_store(*memory, options);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(values_of(*store).size(), 2U);
}

TEST(Store, HasDurableNamesWhereItsMakerEnded) {
  const auto memory = storage::make_memory_env(1);
  Random random(1);
  auto options = tiny_options(random);
  {
    const auto faulty = make_faulty_for(*memory, "/");
    faulty->arm({storage::FaultKind::kStop, 1});
    ASSERT_FALSE(Store::open(*faulty, "/s", options));
  }
  ASSERT_TRUE(memory->status("/s/store"));
  {
    const auto store = open_store(*memory, options);
    ASSERT_TRUE(store->apply(batch_of("key")));
    ASSERT_TRUE(store->sync());
  }
  memory->crash(storage::CrashLoss::kDropUnsynced, 1);
  options.create = false;
  const auto store = open_store(*memory, options);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(values_of(*store).size(), 1U);
}

// All superblocks but the first are lost. A cursor held its blocks, so they were not overwritten:
// only the log shows that the superblock is too old.
TEST(Store, IsRefusedIfTheLogHasOutrunTheSuperblock) {
  const auto memory = storage::make_memory_env(1);
  Random random(1);
  const auto options = tiny_options(random);
  {
    const auto faulty = make_faulty_for(*memory, "/s/store");
    const auto store = open_store(*faulty, options);
    const auto cursor = store->cursor();
    faulty->arm({storage::FaultKind::kLostWrite, 1, true});
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(store->apply(batch_of(key)));
      ASSERT_TRUE(store->checkpoint());
    }
    ASSERT_TRUE(store->apply(batch_of("d")));
    ASSERT_TRUE(store->sync());
  }
  const auto opened = Store::open(*memory, "/s", options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt);
}

TEST(Store, IsOpenOnce) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  auto store = open_store(*env, options);
  EXPECT_EQ(Store::open(*env, "/s", options).error().kind(), ErrorKind::kBusy);
  store = nullptr;
  EXPECT_TRUE(Store::open(*env, "/s", options));
}

// Before each call of the first process's open(), a second process opens or makes the store, uses
// it and ends. Its write is there, or it was told that another process is making the store.
TEST(Store, IsMadeByOneOfTwo) {
  int busy = 0;
  int made = 0;
  bool has_come = true;
  for (int at = 1; has_come; ++at) {
    const auto env = storage::make_memory_env(1);
    Random random(1);
    const auto options = tiny_options(random);
    int calls = 0;
    bool is_used = false;
    HookEnv hooked(*env, [&](storage::CallKind, const std::string&) -> Status {
      if (++calls != at) return ok();
      auto second = Store::open(*env, "/s", options);
      if (second) {
        is_used = true;
        DGFS_CHECK(second.value()->apply(batch_of("second")));
        return second.value()->sync();
      }
      EXPECT_EQ(second.error().kind(), ErrorKind::kBusy) << second.error().message();
      ++busy;
      return ok();
    });
    const auto first = open_store(hooked, options);
    ASSERT_NE(first, nullptr) << "call " << at;
    has_come = calls >= at;
    made += is_used ? 1 : 0;
    EXPECT_EQ(values_of(*first).size(), is_used ? 1U : 0U) << "call " << at;
    ASSERT_TRUE(first->apply(batch_of("first")));
    ASSERT_TRUE(first->checkpoint());
    expect_sound(*env);
    ASSERT_FALSE(HasFailure()) << "call " << at;
  }
  EXPECT_GT(busy, 10);
  EXPECT_GT(made, 3);
}

TEST(Store, RefusesWhatIsTooLarge) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.parameters.segment_bytes = 8192;
  options.parameters.inline_bytes = std::uint64_t{16} << 10;  // so the value would go into the log
  auto store = open_store(*env, options);
  Batch long_key;
  long_key.put(std::string(kKeyBytesMax + 1, 'k'), "");
  EXPECT_EQ(store->apply(long_key).error().kind(), ErrorKind::kLimit);
  Batch far;
  far.patch("k", std::uint64_t{1} << 60, "x");
  EXPECT_EQ(store->apply(far).error().kind(), ErrorKind::kLimit);
  Batch all;
  all.zero("k", 4096, UINT64_MAX);  // its end overflows 64 bits
  EXPECT_EQ(store->apply(all).error().kind(), ErrorKind::kLimit);
  Batch long_patch;
  Message lengthening;
  lengthening.patch = Patch({}, std::uint64_t{1} << 60);
  long_patch.add(PointChange{"k", lengthening});
  EXPECT_EQ(store->apply(long_patch).error().kind(), ErrorKind::kLimit);
  Batch large;
  large.put("k", std::string(4096, 'v'));
  EXPECT_EQ(store->apply(large).error().kind(), ErrorKind::kLimit);
  EXPECT_TRUE(values_of(*store).empty());
}

}  // namespace
}  // namespace dgfs::test
