// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Readers ask a filter while one thread adds prefixes and another writes it to disk.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "delta/store/filter/filter_blocks.h"
#include "storage/memory/env.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kObjects = 20'000;

// One in 50 of the added objects is a range of three.
ObjectPrefix prefix_of_number(std::uint64_t number) { return {1, 4 * number}; }

void add(PrefixFilter& filter, std::uint64_t number) {
  const auto prefix = prefix_of_number(number);
  if (number % 50 == 0) {
    filter.add(KeyRange{first_key_of(prefix), first_key_of({1, prefix.object + 3})});
  } else {
    filter.add(prefix);
  }
}

// Each reader looks for prefixes that had been added before it asked.
template <class Ask>
std::vector<std::thread> start_readers(const std::atomic<std::uint64_t>& added, const Ask& ask) {
  std::vector<std::thread> readers;
  for (std::uint64_t reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&added, ask, reader] {
      Random random(reader);
      for (std::uint64_t known = 0; known < kObjects; known = added) {
        if (known == 0) continue;
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(ask(prefix_of_number(random.below(known))));
      }
    });
  }
  return readers;
}

TEST(FilterThreads, ReadersSeeWhatWasAdded) {
  const auto env = storage::make_memory_env(1);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  PrefixFilter filter(UINT64_MAX, 256);
  FilterBlocks blocks(file, filter);
  std::atomic<std::uint64_t> added = 0;
  auto threads = start_readers(
      added, [&filter](const ObjectPrefix& prefix) { return filter.may_have(prefix); });
  threads.emplace_back([&] {
    for (std::uint64_t known = 0; known < kObjects;) {
      known = added;
      ASSERT_TRUE(blocks.write());
      blocks.note_checkpoint();
      PrefixFilter loaded(UINT64_MAX);
      FilterBlocks(file, loaded).load(blocks.place());
      for (std::uint64_t number = 0; number < known; number += 97) {
        ASSERT_TRUE(loaded.may_have(prefix_of_number(number)));
      }
    }
  });
  for (std::uint64_t number = 0; number < kObjects; ++number) {
    add(filter, number);
    added = number + 1;
  }
  for (auto& thread : threads) thread.join();
}

TEST(FilterThreads, AStoreInTheBackgroundDeniesNothing) {
  constexpr std::uint64_t kBatch = 10;
  const auto env = storage::make_memory_env(1);
  Random random(1);
  auto options = tiny_options(random);
  options.parameters.born_object = UINT64_MAX;
  options.parameters.segment_bytes = 1 << 16;
  options.in_background = true;
  auto store = open_store(*env, options);
  ASSERT_TRUE(store->start());
  std::atomic<std::uint64_t> added = 0;
  auto threads = start_readers(added, [&store](const ObjectPrefix& prefix) {
    return store->may_have(prefix.object_class, prefix.object);
  });
  for (std::uint64_t number = 0; number < kObjects; number += kBatch) {
    Batch batch;
    for (std::uint64_t each = number; each < number + kBatch; ++each) {
      const auto prefix = prefix_of_number(each);
      batch.put(object_key(prefix.object_class, prefix.object), "value");
    }
    ASSERT_TRUE(store->apply(batch));
    added = number + kBatch;
  }
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(store->close());
  store = nullptr;
  expect_sound(*env);
}

// Readers ask and a writer adds while a thread of the store reads the stages that opening has left.
TEST(FilterThreads, StagesAreReadBesideReaders) {
  const auto env = storage::make_memory_env(1);
  Random random(1);
  auto options = tiny_options(random);
  options.parameters.born_object = UINT64_MAX;
  options.filter_prefixes = 32;
  options.in_background = true;
  auto store = open_store(*env, options);
  const auto put = [&store](std::uint64_t begin, std::uint64_t end) {
    Batch batch;
    for (std::uint64_t number = begin; number < end; ++number) {
      const auto prefix = prefix_of_number(number);
      batch.put(object_key(prefix.object_class, prefix.object), "value");
    }
    ASSERT_TRUE(store->apply(batch));
  };
  for (std::uint64_t number = 0; number < 4000; number += 10) put(number, number + 10);
  for (const auto access : {StoreAccess::kReadWrite, StoreAccess::kReadOnly}) {
    ASSERT_TRUE(store->close());
    store = nullptr;
    options.access = access;
    store = open_store(*env, options);
    EXPECT_TRUE(store->may_have(9, 9)) << "an unread stage lets all through";
    std::atomic<std::uint64_t> added = 4000;
    auto threads = start_readers(added, [&store](const ObjectPrefix& prefix) {
      return store->may_have(prefix.object_class, prefix.object);
    });
    ASSERT_TRUE(store->start());
    std::uint64_t known = 4000;
    while (store->may_have(9, 9)) {
      if (access == StoreAccess::kReadOnly) continue;
      put(known, known + 1);
      added = ++known;
    }
    added = kObjects;
    for (auto& thread : threads) thread.join();
    for (std::uint64_t number = 0; number < known; ++number) {
      const auto prefix = prefix_of_number(number);
      ASSERT_TRUE(store->may_have(prefix.object_class, prefix.object));
    }
  }
}

// A store without writers keeps the table that its log has filled; its thread still reads the
// stages.
TEST(FilterThreads, StagesAreReadWhateverTheLogHas) {
  const auto env = storage::make_memory_env(1);
  Random random(1);
  auto options = tiny_options(random);
  options.parameters.born_object = UINT64_MAX;
  options.parameters.segment_bytes = 1 << 20;
  options.filter_prefixes = 32;
  auto store = open_store(*env, options);
  for (std::uint64_t object = 0; object < 1000; ++object) {
    Batch batch;
    batch.put(object_key(1, object), "value");
    ASSERT_TRUE(store->apply(batch));
  }
  ASSERT_TRUE(store->checkpoint());
  Batch batch;
  batch.put("key", std::string(3000, 'x'));
  ASSERT_TRUE(store->apply(batch));
  ASSERT_TRUE(store->sync());
  store = nullptr;
  options.access = StoreAccess::kReadOnly;
  options.in_background = true;
  options.table_bytes = 1000;
  store = open_store(*env, options);
  EXPECT_TRUE(store->may_have(9, 9));
  ASSERT_TRUE(store->start());
  while (store->may_have(9, 9)) std::this_thread::yield();
}

}  // namespace
}  // namespace dgfs::test
