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
  // The store still has the space that it kept, though another file has taken the rest of the disk.
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
  file.shorten([] { return std::uint64_t{8192}; }, 0);
  EXPECT_EQ(env->status("/blocks").value().allocated_bytes, 3 * 4096U);
  EXPECT_LE(env->status("/blocks").value().size_bytes, 3 * 4096U);
}

TEST(BlockFileReserve, IsNotLargerThanAskedForWhereLittleIsLeft) {
  const auto env = storage::make_memory_env(1);
  SizeCap cap(4 * kMib);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value(), "blocks",
                 &cap);
  ASSERT_TRUE(file.reserve(3 * kMib));
  EXPECT_LE(cap.taken_bytes(), 3 * kMib + kMib / 4) << "another file may need the rest";
}

// What others lack is given back: behind the reserve, and in free stretches that are not counted
// on.
TEST(BlockFileReserve, IsLeftWhenSpareSpaceIsGivenBack) {
  const auto env = storage::make_memory_env(1);
  SizeCap cap(64 * kMib);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value(), "blocks",
                 &cap);
  std::vector<Place> places;
  for (int i = 0; i < 64; ++i) places.push_back(file.write(Buffer(5000, 'a')).value());
  for (std::size_t i = 0; i < 63; i += 2) file.free(places[i].extent());
  ASSERT_TRUE(file.reserve(20 * kMib));
  ASSERT_TRUE(file.reserve(2 * kMib));
  const auto allocated = [&] { return env->status("/blocks").value().allocated_bytes; };
  file.give_back_spare(64 * kMib);
  EXPECT_LE(allocated(), 2 * kMib + 64 * 5120) << "the end";
  EXPECT_LE(file.free_page_bytes(), 2 * kMib + 4096) << "and all whole pages between blocks";
  EXPECT_EQ(cap.taken_bytes(), file.taken_bytes());
  EXPECT_EQ(allocated(), file.taken_bytes());
  // The reserve is there, though another file has taken the rest of the disk.
  env->set_capacity(allocated());
  EXPECT_TRUE(file.reserve(2 * kMib));
  EXPECT_TRUE(file.write(Buffer(kMib, 'b')));
  for (std::size_t i = 1; i < 63; i += 2) EXPECT_TRUE(file.read(places[i]));
}

TEST(BlockFileReserve, KeepsTheFreeStretchThatItCountsOn) {
  const auto env = storage::make_memory_env(1);
  SizeCap cap(3 * kMib);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value(), "blocks",
                 &cap);
  const auto large = file.write(Buffer(2 * kMib, 'a')).value();
  ASSERT_TRUE(file.write(Buffer(4096, 'b')));
  const auto small = file.write(Buffer(kMib / 2, 'a')).value();
  ASSERT_TRUE(file.write(Buffer(4096, 'b')));
  file.free(large.extent());
  file.free(small.extent());
  ASSERT_TRUE(file.reserve(kMib * 3 / 2)) << "it fits only between the blocks";
  file.give_back_spare(64 * kMib);
  EXPECT_TRUE(file.has_reserved([] { return kMib * 3 / 2; }));
  EXPECT_TRUE(cap.take(kMib / 4 * 3)) << "the other stretch is given back";
  EXPECT_TRUE(file.write(Buffer(kMib * 3 / 2, 'c')));
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

// A large file that is removed leaves free stretches between values, which small records cannot
// use before they are given back; and small files leave short ones, which large values cannot use.
TEST_F(CappedStore, SpaceOfOneKindIsForTheOtherKindToo) {
  auto options = small_options();
  options.max_bytes = 24 * kMib;
  options.punch_bytes = 64 * kMib;  // so nothing is given back before it is needed
  reopen(options);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(put("key" + std::to_string(10000 + i), 20'000)) << i;
  }
  for (int i = 0; i < 1000; i += 2) {
    Batch removal;
    removal.set_class(BatchClass::kRemoving);
    const auto key = "key" + std::to_string(10000 + i);
    removal.remove(key);
    removal.note_dead({key, key + '\0'}, 20'000);
    ASSERT_TRUE(applied(*store_, removal)) << i;
  }
  ASSERT_TRUE(store_->checkpoint());
  ASSERT_TRUE(store_->checkpoint());
  ASSERT_GT(store_->space().free_bytes, 9 * kMib) << "most of it lies between values";
  for (const std::size_t value_bytes : {std::size_t{1000}, kChunk, std::size_t{3000}}) {
    const auto half = store_->space().free_bytes / 2;
    for (std::uint64_t bytes = 0; bytes + 4096 <= half;
         bytes += std::max<std::size_t>(value_bytes, 4096)) {
      const auto key = std::to_string(value_bytes) + " " + std::to_string(bytes);
      const auto written = put(key, value_bytes);
      ASSERT_TRUE(written) << key << " of " << half << ": " << written.error().message();
    }
    EXPECT_LE(on_disk(), options.max_bytes + (std::uint64_t{64} << 10));
  }
}

// A store below a cap, beside a reference that knows only which values it has.
class CappedHistory {
 public:
  CappedHistory(std::uint64_t seed, bool is_reopened) : random_(seed), is_reopened_(is_reopened) {
    options_ = small_options();
    options_.max_bytes = (6 + random_.below(30)) * kMib;
    reopen();
  }

  void run(int rounds) {
    for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
      change();
      if (is_reopened_ && random_.one_in(2)) {
        ASSERT_TRUE(store_->close());
        reopen();
      }
      write_half();
      expect_below_cap();
    }
    expect_all();
  }

 private:
  void reopen() {
    store_ = nullptr;
    store_ = open_store(*env_, options_);
    ASSERT_NE(store_, nullptr);
  }
  // Writes and removes; a full store may refuse what is written.
  void change() {
    for (int i = 0; i < 150; ++i) {
      const auto key = "key" + std::to_string(random_.below(400));
      if (random_.one_in(3)) {
        remove(key);
      } else if (const auto written = put(key, some_bytes()); !written) {
        ASSERT_EQ(written.error().kind(), ErrorKind::kNoSpace) << written.error().message();
      }
    }
    if (random_.one_in(3)) {
      for (int i = 0; i < 400; i += 1 + static_cast<int>(random_.below(2))) {
        remove("key" + std::to_string(i));
      }
    }
  }
  // Half of what is free, as one large file or as many of one size. A file counts with the blocks
  // that it would take of another file system.
  void write_half() {
    const auto free_bytes = store_->space().free_bytes;
    const auto value_bytes = random_.one_in(2) ? kChunk : some_bytes();
    std::uint64_t counted = 0;
    for (int i = 0;; ++i) {
      counted += (value_bytes + 4095) / 4096 * 4096;
      if (counted > free_bytes / 2) break;
      const auto key = "half" + std::to_string(++halves_);
      const auto written = put(key, value_bytes);
      ASSERT_TRUE(written) << "value " << i << " of " << value_bytes << " bytes; " << free_bytes
                           << " were free below " << options_.max_bytes << ": "
                           << written.error().message();
    }
    for (std::uint64_t i = 1; i <= halves_; ++i) {
      if (!random_.one_in(8)) remove("half" + std::to_string(i));
    }
  }
  void expect_below_cap() {
    const auto bytes = bytes_on_disk(*env_, "/s").value();
    EXPECT_LE(bytes, options_.max_bytes);
  }
  void expect_all() {
    ASSERT_TRUE(store_->checkpoint());
    for (const auto& [key, bytes] : values_) {
      const auto value = store_->get(key);
      ASSERT_TRUE(value) << value.error().message();
      ASSERT_TRUE(value.value()) << key;
      EXPECT_EQ(value.value()->size(), bytes) << key;
    }
    ASSERT_TRUE(store_->close());
    EXPECT_TRUE(check_store(*env_, "/s"));
  }
  std::size_t some_bytes() {
    const std::size_t most = random_.one_in(4) ? 200'000 : random_.one_in(2) ? 20'000 : 2000;
    return 1 + static_cast<std::size_t>(random_.below(most));
  }
  Status put(const std::string& key, std::size_t bytes) {
    Batch batch;
    batch.put(key, std::string(bytes, 'v'));
    auto written = applied(*store_, batch);
    if (written) values_[key] = bytes;
    return written;
  }
  void remove(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    Batch removal;
    removal.set_class(BatchClass::kRemoving);
    removal.remove(key);
    removal.note_dead({key, key + '\0'}, found->second);
    const auto removed = applied(*store_, removal);
    ASSERT_TRUE(removed) << removed.error().message();
    values_.erase(found);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  Random random_;
  const bool is_reopened_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::map<std::string, std::size_t> values_;
  std::uint64_t halves_ = 0;
};

class CappedHistories : public testing::TestWithParam<bool> {};

TEST_P(CappedHistories, HalfOfWhatIsFreeCanAlwaysBeWritten) {
  for (std::uint64_t seed = 0; seed < 12 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CappedHistory(seed, GetParam()).run(8);
  }
}

INSTANTIATE_TEST_SUITE_P(Openings, CappedHistories, testing::Bool(), [](const auto& is_reopened) {
  return is_reopened.param ? "Several" : "One";
});

}  // namespace
}  // namespace dgfs::test
