// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A store below a cap, or on a small disk, says truly how much can be written, and gives back what
// nothing needs.
#include <gtest/gtest.h>

#include "delta/store/disk/block_file.h"
#include "delta/store/store_files.h"
#include "storage/memory/env.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::size_t kChunk = std::size_t{64} << 10;

StoreOptions small_options() {
  StoreOptions options;
  options.create = true;
  options.parameters = {4096, 16384, 8, 1 << 18, 2048};
  options.table_bytes = 128 << 10;
  options.dirty_bytes = 64 << 10;
  options.level = 0;
  options.spare_bytes = 64 << 10;
  options.punch_bytes = 64 << 10;
  return options;
}

class CappedStore : public testing::Test {
 protected:
  void reopen(const StoreOptions& options) {
    store_ = nullptr;
    store_ = open_store(*env_, options);
  }
  [[nodiscard]] Status put(const std::string& key, std::size_t bytes) {
    Batch batch;
    batch.put(key, std::string(bytes, 'v'));
    return applied(*store_, batch);
  }
  [[nodiscard]] std::uint64_t on_disk() { return bytes_on_disk(*env_, "/s").value(); }
  // Writes half of what is said to be free, as a program does: without a second try.
  void expect_half_can_be_written(const std::string& where) {
    const auto free_bytes = store_->space().free_bytes;
    for (std::uint64_t bytes = 0; bytes + kChunk <= free_bytes / 2; bytes += kChunk) {
      const auto written = put("half" + std::to_string(bytes), kChunk);
      ASSERT_TRUE(written) << where << ": " << bytes << " of " << free_bytes
                           << " bytes: " << written.error().message();
    }
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::unique_ptr<Store> store_;
};

TEST(BlockFileReserve, BehindTheEndIsGivenBack) {
  const auto env = storage::make_memory_env(1);
  const auto other = env->open("/other", {storage::OpenOptions::Mode::kCreateNew}).value();
  SizeCap cap(64 * kMib);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value(), "blocks",
                 &cap);
  const auto place = file.write(Buffer(5000, 'a')).value();
  const auto allocated = [&] { return env->status("/blocks").value().allocated_bytes; };
  ASSERT_TRUE(file.reserve(20 * kMib));
  EXPECT_GE(allocated(), 20 * kMib);
  EXPECT_GE(cap.taken_bytes(), 20 * kMib);
  file.shorten([] { return 2 * kMib; }, 1);
  EXPECT_LE(allocated(), 2 * kMib + 3 * 4096);
  EXPECT_EQ(cap.taken_bytes(), file.taken_bytes());
  EXPECT_LE(cap.taken_bytes(), 2 * kMib + 3 * 4096);
  // What is kept is there, though another file has taken the rest of the disk.
  env->set_capacity(env->status("/blocks").value().allocated_bytes);
  EXPECT_FALSE(other->write_at(0, Buffer(4096, 'x')));
  EXPECT_TRUE(file.reserve(2 * kMib));
  EXPECT_TRUE(file.write(Buffer(kMib, 'b')));
  EXPECT_TRUE(file.read(place));
}

TEST(BlockFileReserve, AtTheEndOfItsUseIsGivenBackToTheByte) {
  const auto env = storage::make_memory_env(1);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  ASSERT_TRUE(file.write(Buffer(4096, 'a')));
  ASSERT_TRUE(file.reserve(kMib));
  file.give_back_all_but(8192);
  EXPECT_EQ(env->status("/blocks").value().allocated_bytes, 3 * 4096U);
  EXPECT_EQ(env->status("/blocks").value().size_bytes, 4096U);
}

TEST(BlockFileReserve, IsNotLargerThanAskedForWhereLittleIsLeft) {
  const auto env = storage::make_memory_env(1);
  SizeCap cap(4 * kMib);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value(), "blocks",
                 &cap);
  ASSERT_TRUE(file.reserve(3 * kMib));
  EXPECT_LE(cap.taken_bytes(), 3 * kMib + kMib / 4) << "another file may need the rest";
}

TEST_F(CappedStore, AClosedStoreTakesWhatItNeeds) {
  auto options = small_options();
  reopen(options);
  ASSERT_TRUE(store_->close());
  store_ = nullptr;
  const auto small_bytes = on_disk();
  options.table_bytes = 8 * kMib;
  reopen(options);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(put("key" + std::to_string(i), 3 * kChunk));
  Batch removal;
  removal.remove_range({"", std::nullopt});
  ASSERT_TRUE(applied(*store_, removal));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_GT(on_disk(), small_bytes + 16 * kMib) << "the reserve of an open store";
  ASSERT_TRUE(store_->close());
  store_ = nullptr;
  // The allowances of the next opening grow with its tables, up to 5 MiB.
  EXPECT_LE(on_disk(), small_bytes + 7 * kMib);
}

// A reserve that a larger opening has left does not count against the cap for ever.
TEST_F(CappedStore, WhatALargerOpeningHasReservedIsGivenBack) {
  auto options = small_options();
  options.table_bytes = 8 * kMib;
  reopen(options);
  ASSERT_TRUE(put("key", kChunk));
  ASSERT_TRUE(store_->checkpoint());
  ASSERT_GT(on_disk(), 16 * kMib);
  options = small_options();
  options.max_bytes = 12 * kMib;
  reopen(options);  // without a close, as after a crash
  EXPECT_LT(on_disk(), 6 * kMib);
  EXPECT_GT(store_->space().free_bytes, 6 * kMib);
  expect_half_can_be_written("after a crash");
}

// After a full disk was closed, the next opening refuses ordinary changes and takes removals.
TEST_F(CappedStore, RemovingGoesOnAfterAClosingOnAFullDisk) {
  auto options = small_options();
  options.max_bytes = 6 * kMib;
  reopen(options);
  int count = 0;
  while (put("key" + std::to_string(1000 + count), 3000)) ++count;
  ASSERT_GT(count, 100);
  ASSERT_TRUE(store_->close());
  reopen(options);
  for (int i = 0; i < count; ++i) {
    Batch removal;
    removal.set_class(BatchClass::kRemoving);
    const auto key = "key" + std::to_string(1000 + i);
    removal.remove(key);
    removal.note_dead({key, key + '\0'}, 3000);
    const auto removed = applied(*store_, removal);
    ASSERT_TRUE(removed) << i << removed.error().message();
  }
  ASSERT_TRUE(store_->checkpoint());
  ASSERT_TRUE(store_->make_space());
  EXPECT_TRUE(store_->takes_changes());
  EXPECT_TRUE(put("again", kChunk));
}

// Stores of any history, below a cap or on a full disk.
TEST_F(CappedStore, HalfOfWhatIsFreeCanBeWritten) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    env_ = storage::make_memory_env(seed);
    Random random(seed);
    auto options = small_options();
    const bool is_capped = random.one_in(2);
    const auto limit_bytes = (4 + random.below(8)) * kMib;
    if (is_capped) {
      options.max_bytes = limit_bytes;
    } else {
      env_->set_capacity(limit_bytes);
    }
    store_ = nullptr;
    reopen(options);
    for (int step = 0; step < 200; ++step) {
      const auto key = "key" + std::to_string(random.below(60));
      if (random.one_in(3)) {
        Batch removal;
        removal.set_class(BatchClass::kRemoving);
        removal.remove(key);
        ASSERT_TRUE(applied(*store_, removal)) << seed;
      } else {
        const auto written = put(key, 100 + random.below(random.one_in(3) ? 300'000 : 20'000));
        if (!written) {
          ASSERT_EQ(written.error().kind(), ErrorKind::kNoSpace) << written.error().message();
        }
      }
      if (random.one_in(50)) {
        ASSERT_TRUE(store_->close());
        reopen(options);
      }
    }
    const auto where = "seed " + std::to_string(seed) + (is_capped ? ", cap " : ", disk ") +
                       std::to_string(limit_bytes);
    expect_half_can_be_written(where);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(store_->checkpoint()) << where;
    ASSERT_TRUE(check_store(*env_, "/s")) << where;
  }
}

}  // namespace
}  // namespace dgfs::test
