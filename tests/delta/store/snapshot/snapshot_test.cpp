// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/snapshot.h"

#include <gtest/gtest.h>

#include <vector>

#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

class SnapshotTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  struct Taken {
    Snapshot snapshot;
    StoreModel model;
  };

  void change() {
    const auto batch = random_batch(random_, shape_);
    ASSERT_TRUE(store_->apply(batch));
    model_.apply(batch);
    if (random_.one_in(20)) {
      ASSERT_TRUE(store_->maintain());
    }
    if (random_.one_in(30)) {
      ASSERT_TRUE(store_->sync());
    }
    if (random_.one_in(60)) {
      ASSERT_TRUE(store_->checkpoint());
    }
  }

  void expect_unchanged(const Taken& taken) {
    const auto& values = taken.model.values();
    const auto key = random_key(random_, shape_);
    const auto got = taken.snapshot.get(key);
    ASSERT_TRUE(got) << got.error().message();
    const auto expected = values.find(key);
    EXPECT_EQ(got.value(),
              expected == values.end() ? std::nullopt : std::optional(expected->second));
    auto cursor = taken.snapshot.cursor();
    ASSERT_TRUE(cursor.seek(""));
    for (const auto& [each, value] : values) {
      ASSERT_TRUE(cursor.is_at_key()) << each;
      EXPECT_EQ(cursor.key(), each);
      const auto found = cursor.value();
      ASSERT_TRUE(found) << found.error().message();
      EXPECT_EQ(found.value(), value);
      ASSERT_TRUE(cursor.next());
    }
    EXPECT_FALSE(cursor.is_at_key());
  }

  Random random_{GetParam()};
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_ = tiny_options(random_);
  std::unique_ptr<Store> store_ = open_store(*env_, options_);
  BatchShape shape_;
  StoreModel model_;
};

TEST_P(SnapshotTest, StaysAsItWasWhateverComesLater) {
  std::vector<Taken> taken;
  for (int step = 0; step < 600; ++step) {
    change();
    if (random_.one_in(15)) taken.push_back({store_->snapshot("test"), model_});
    if (taken.size() > 5)
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(random_.below(taken.size())));
    if (!taken.empty() && random_.one_in(10)) {
      expect_unchanged(taken[random_.below(taken.size())]);
    }
  }
  for (const auto& each : taken) expect_unchanged(each);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotTest, testing::Range<std::uint64_t>(0, 12));

// Lists beside a writer that changes the same store, as rm -rf does.
TEST(Snapshot, TakingOneAndReadingItFreezesNoTable) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  const auto store = open_store(*env, options);
  for (int i = 0; i < 1000; ++i) {
    Batch batch;
    batch.put("key" + std::to_string(i), "value");
    ASSERT_TRUE(store->apply(batch));
    const auto snapshot = store->snapshot("a listing");
    auto cursor = snapshot.cursor();
    ASSERT_TRUE(cursor.seek("key"));
    EXPECT_TRUE(cursor.is_at_key());
  }
  EXPECT_EQ(store->counters().tables, 0U);
}

TEST(Snapshot, TheOldestHolderHasAName) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  const auto store = open_store(*env, options);
  EXPECT_FALSE(store->oldest_snapshot());
  std::optional<Snapshot> first = store->snapshot("first");
  const auto second = store->snapshot("second");
  ASSERT_TRUE(store->oldest_snapshot());
  EXPECT_EQ(store->oldest_snapshot()->name, "first");
  const auto copy = first;
  first.reset();
  EXPECT_EQ(store->oldest_snapshot()->name, "first");
}

TEST(Snapshot, WhoeverLetsGoOfItIsNotNamed) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  const auto store = open_store(*env, options);
  std::optional<Snapshot> first = store->snapshot("first");
  std::optional<Snapshot> second = store->snapshot("second");
  first.reset();
  ASSERT_TRUE(store->oldest_snapshot());
  EXPECT_EQ(store->oldest_snapshot()->name, "second");
  second.reset();
  EXPECT_FALSE(store->oldest_snapshot());
}

}  // namespace
}  // namespace dgfs::test
