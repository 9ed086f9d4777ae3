// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "delta/store/run/object_key.h"
#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr int kWriters = 2;
constexpr int kBatches = 1500;

std::string pair_key(int writer, int pair, char side) {
  return "w" + std::to_string(writer) + "-" + std::to_string(1000 + pair) + side;
}

// Each writer changes the two keys of a pair together: every reader sees both alike.
void write_pairs(Store& store, int writer, StoreModel& model) {
  Random random(static_cast<std::uint64_t>(writer));
  for (int i = 0; i < kBatches; ++i) {
    const auto pair = static_cast<int>(random.below(100));
    Batch batch;
    for (const char side : {'a', 'b'}) {
      const auto key = pair_key(writer, pair, side);
      if (i % 7 == 0) {
        batch.remove_range({key, key + "~"});
      } else if (i % 3 == 0) {
        batch.change_field(key, {0, FieldOperation::kAdd, 1});
      } else {
        batch.put(key, std::to_string(i) + std::string(30, 'v'));
      }
    }
    const auto applied = store.apply(batch);
    ASSERT_TRUE(applied) << applied.error().message();
    model.apply(batch);
    if (i % 50 == 0) {
      ASSERT_TRUE(store.sync());
    }
  }
}

void walk_pairs(Store& store) {
  auto cursor = store.cursor();
  auto moved = cursor.seek("");
  while (moved && cursor.is_at_key()) {
    const std::string key(cursor.key());
    const auto value = cursor.value();
    ASSERT_TRUE(value) << value.error().message();
    const std::string value_of_a(value.value());
    ASSERT_EQ(key.back(), 'a');
    moved = cursor.next();
    ASSERT_TRUE(moved);
    ASSERT_TRUE(cursor.is_at_key());
    ASSERT_EQ(cursor.key(), key.substr(0, key.size() - 1) + "b");
    const auto other = cursor.value();
    ASSERT_TRUE(other) << other.error().message();
    ASSERT_EQ(other.value(), value_of_a);
    moved = cursor.next();
  }
  ASSERT_TRUE(moved) << moved.error().message();
}

class StoreThreads : public testing::TestWithParam<bool> {};

TEST_P(StoreThreads, SeeWholeBatches) {
  const auto env = storage::make_memory_env(1);
  Random random(1);
  auto options = tiny_options(random);
  options.in_background = GetParam();
  auto store = open_store(*env, options);
  ASSERT_TRUE(store->start());
  std::vector<StoreModel> models(kWriters);
  std::atomic<bool> is_done = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] { write_pairs(*store, i, models[static_cast<std::size_t>(i)]); });
  }
  std::vector<std::thread> others;
  others.emplace_back([&] {
    while (!is_done) walk_pairs(*store);
  });
  others.emplace_back([&] {
    Random choice(9);
    while (!is_done) {
      const auto found = store->get(pair_key(0, static_cast<int>(choice.below(100)), 'a'));
      ASSERT_TRUE(found) << found.error().message();
      if (choice.one_in(20)) {
        ASSERT_TRUE(store->checkpoint());
      }
    }
  });
  for (auto& writer : writers) writer.join();
  is_done = true;
  for (auto& other : others) other.join();
  std::map<std::string, std::string> expected;
  for (const auto& model : models) {
    expected.insert(model.values().begin(), model.values().end());
  }
  EXPECT_EQ(values_of(*store), expected);
  ASSERT_TRUE(store->sync());
  store = nullptr;
  expect_sound(*env);
  store = open_store(*env, options);
  EXPECT_EQ(values_of(*store), expected);
}

// Several readers read the values, and put them into the cache, at once.
TEST(StoreValues, AreThoseOfTheirKeyForSeveralReadersAtOnce) {
  constexpr int kValues = 40;
  const auto value_of = [](int number) { return std::string(5000, static_cast<char>(number)); };
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.cache_bytes = std::size_t{8} * 15 * 5000;  // too small to keep all values
  auto store = open_store(*env, options);
  std::atomic<bool> is_over = false;
  std::atomic<int> found = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      Random random(static_cast<std::uint64_t>(reader));
      while (!is_over) {
        const auto number = static_cast<int>(random.below(kValues));
        const auto value = store->get(std::to_string(number));
        ASSERT_TRUE(value);
        if (value.value()) {
          EXPECT_EQ(*value.value(), value_of(number));
          ++found;
        }
      }
    });
  }
  for (int round = 0; round < 60 || (found < 1000 && round < 10'000); ++round) {
    for (int number = round % 3; number < kValues; number += 3) {
      Batch batch;
      batch.put(std::to_string(number), value_of(number));
      ASSERT_TRUE(store->apply(batch));
    }
    ASSERT_TRUE(store->checkpoint());
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_GE(found, 1000);
}

// No caller asks for it.
TEST(StoreCommits, MakeDurableWhatIsASecondOld) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.in_background = true;
  auto store = open_store(*env, options);
  Batch batch;
  batch.put("key", "value");
  ASSERT_TRUE(store->apply(batch));
  ASSERT_TRUE(store->start());
  for (int i = 0; i < 600 && store->counters().log_bytes == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ASSERT_NE(store->counters().log_bytes, 0U);
  store = nullptr;
  env->crash(storage::CrashLoss::kDropUnsynced, 1);
  store = open_store(*env, options);
  EXPECT_EQ(values_of(*store), (std::map<std::string, std::string>{{"key", "value"}}));
}

// Writers never wait in try_apply(); they wait in wait_for_room().
void write_without_waiting(Store& store, int writer, StoreModel& model) {
  Random random(static_cast<std::uint64_t>(writer) + 100);
  for (int i = 0; i < kBatches; ++i) {
    Batch batch;
    const auto key = pair_key(writer, static_cast<int>(random.below(100)), 'a');
    batch.put(key, std::string(random.below(200), 'v') + std::to_string(i));
    auto taken = store.try_apply(batch);
    while (!taken) {
      ASSERT_EQ(taken.error().kind(), ErrorKind::kBusy) << taken.error().message();
      const auto waited = store.wait_for_room(batch);
      ASSERT_TRUE(waited) << waited.error().message();
      taken = store.try_apply(batch);
    }
    model.apply(batch);
    if (i % 100 == 0) {
      ASSERT_TRUE(store.sync(taken.value()));
      ASSERT_GE(store.durable(), taken.value());
    }
  }
}

TEST(StoreAdmission, LetsWritersWaitElsewhere) {
  const auto env = storage::make_memory_env(1);
  Random random(2);
  auto options = tiny_options(random);
  options.in_background = true;
  auto store = open_store(*env, options);
  ASSERT_TRUE(store->start());
  std::vector<StoreModel> models(3);
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back(
        [&, i] { write_without_waiting(*store, i, models[static_cast<std::size_t>(i)]); });
  }
  for (auto& writer : writers) writer.join();
  std::map<std::string, std::string> expected;
  for (const auto& model : models) {
    expected.insert(model.values().begin(), model.values().end());
  }
  EXPECT_EQ(values_of(*store), expected);
  ASSERT_TRUE(store->close());
  store = nullptr;
  expect_sound(*env);
}

// Two writers fill the disk, and remove their keys when they are refused. A thread of the store
// makes space, and both are admitted again.
void fill_and_remove(Store& store, int writer) {
  const auto prefix = "w" + std::to_string(writer);
  for (int round = 0; round < 3; ++round) {
    bool is_full = false;
    for (int i = 0; !is_full; ++i) {
      ASSERT_LT(i, 1'000'000);
      Batch batch;
      batch.put(prefix + std::to_string(i % 100'000), std::string(400, 'v'));
      const auto taken = store.apply(batch);
      is_full = !taken;
      if (is_full) {
        ASSERT_EQ(taken.error().kind(), ErrorKind::kNoSpace) << taken.error().message();
      }
    }
    Batch removal;
    removal.remove_range({prefix, prefix + "~"});
    ASSERT_TRUE(store.apply(removal));
    Batch batch;
    batch.put(prefix, "again");
    while (!store.apply(batch)) std::this_thread::yield();
  }
}

TEST(StoreAdmission, AFullDiskIsEmptiedByAThread) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.parameters = {4096, 16384, 8, 1 << 18, 2048};
  options.table_bytes = 32768;
  options.level = 0;
  options.in_background = true;
  auto store = open_store(*env, options);
  env->set_capacity(std::uint64_t{2500} << 10);
  ASSERT_TRUE(store->start());
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i) writers.emplace_back([&, i] { fill_and_remove(*store, i); });
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(*store->get("w0").value(), "again");
  EXPECT_EQ(*store->get("w1").value(), "again");
  store = nullptr;
  expect_sound(*env);
}

std::set<std::string> threads() {
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.insert(entry.path().filename());
  }
  return ids;
}

// Counts only new threads, as those of an earlier test may end only now.
std::size_t count_new_threads(const std::set<std::string>& before) {
  const auto now = threads();
  return static_cast<std::size_t>(std::count_if(
      now.begin(), now.end(), [&](const std::string& id) { return !before.contains(id); }));
}

// A process starts threads after it has forked, because fork() does not copy threads.
TEST(StoreStart, StartsThreadsAndOpeningNone) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.in_background = true;
  std::thread([] {}).join();  // the thread sanitizer starts a thread of its own with the first one
  const auto before = threads();
  auto store = open_store(*env, options);
  Batch batch;
  batch.put("key", "value");
  ASSERT_TRUE(store->apply(batch));
  EXPECT_EQ(count_new_threads(before), 0U);
  ASSERT_TRUE(store->start());
  EXPECT_EQ(count_new_threads(before), 2U);
  ASSERT_TRUE(store->start()) << "a second start() does nothing";
  EXPECT_EQ(count_new_threads(before), 2U);
  ASSERT_TRUE(store->close());
  EXPECT_EQ(values_of(*store).size(), 1U);
}

// A delta has many layers, and each of them is such a store.
TEST(StoreStart, AReadOnlyStoreEndsItsThreadOnceTheFilterIsRead) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.parameters.born_object = UINT64_MAX;
  options.filter_prefixes = 32;
  auto store = open_store(*env, options);
  Batch batch;
  for (std::uint64_t object = 0; object < 1000; ++object) batch.put(object_key(1, object), "value");
  ASSERT_TRUE(store->apply(batch));
  ASSERT_TRUE(store->close());
  store = nullptr;
  options.access = StoreAccess::kReadOnly;
  options.in_background = true;
  const auto before = threads();
  store = open_store(*env, options);
  EXPECT_TRUE(store->may_have(9, 9)) << "an unread stage lets all through";
  ASSERT_TRUE(store->start());
  while (store->may_have(9, 9) || count_new_threads(before) != 0) std::this_thread::yield();
}

// Calls beside the readers change all pieces of a chunk together. Each reader sees one letter,
// whatever part of the chunk it reads.
TEST(StoreChunks, OfManyPatchesAreSeenWhole) {
  constexpr std::size_t kPieceBytes = 4096;
  constexpr std::size_t kPieces = 16;
  constexpr int kRounds = 150;
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.in_background = true;
  options.table_bytes = std::size_t{256} << 10;
  const auto store = open_store(*env, options);
  ASSERT_TRUE(store->start());
  const auto write = [&](int round) {
    Batch batch;
    const std::string piece(kPieceBytes, static_cast<char>('a' + round % 26));
    for (std::size_t i = 0; i < kPieces; ++i) batch.patch("chunk", i * kPieceBytes, piece);
    ASSERT_TRUE(store->apply(batch));
  };
  write(0);
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> readers;
  for (std::uint64_t number = 0; number < 3; ++number) {
    readers.emplace_back([&, number] {
      Random random(number);
      while (!is_over) {
        const auto begin = random.below(kPieces * kPieceBytes - 1);
        const auto part = store->read("chunk", begin, 1 + random.below(20'000));
        ASSERT_TRUE(part) << part.error().message();
        ASSERT_TRUE(part.value());
        const auto bytes = part.value()->bytes();
        ASSERT_EQ(bytes.find_first_not_of(bytes.front()), std::string_view::npos);
      }
    });
  }
  for (int round = 1; round < kRounds; ++round) {
    write(round);
    if (round % 20 == 0) {
      ASSERT_TRUE(store->sync());
    }
    if (round % 50 == 0) {
      ASSERT_TRUE(store->checkpoint());
    }
  }
  is_over = true;
}

INSTANTIATE_TEST_SUITE_P(InBackground, StoreThreads, testing::Bool());

}  // namespace
}  // namespace dgfs::test
