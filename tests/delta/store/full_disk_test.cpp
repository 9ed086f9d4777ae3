// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A full disk, or a store at its size limit: batches are refused before anything is lost, accepted
// batches still get into the tree, and removing makes room.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/delta/store/counted_store.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kDiskBytes = std::uint64_t{2500} << 10;

constexpr std::uint64_t kLargeDiskBytes = std::uint64_t{1} << 40;

enum class Limit : std::uint8_t { kDisk, kCap };

class FullDisk : public testing::TestWithParam<std::tuple<std::size_t, Limit>> {
 protected:
  FullDisk() {
    options_.create = true;
    options_.parameters = {4096, 16384, 8, 1 << 18, 2048};
    options_.table_bytes = 32768;
    if (value_bytes() < 1000) options_.dirty_bytes = 4096;  // so tables go into the tree in slices
    options_.level = 0;
    limit_to(kDiskBytes);
  }
  ~FullDisk() override { expect_within_limit(); }

  [[nodiscard]] std::size_t value_bytes() const { return std::get<0>(GetParam()); }
  // Limits the space to so many bytes from now on.
  void limit_to(std::uint64_t bytes) {
    const bool is_capped = std::get<1>(GetParam()) == Limit::kCap;
    env_->set_capacity(is_capped ? kLargeDiskBytes : bytes);
    if (is_capped || store_ == nullptr) {
      if (is_capped) options_.max_bytes = bytes;
      reopen();
    }
  }
  // The sum of the store's files stays within the limit.
  void expect_within_limit() const {
    if (std::get<1>(GetParam()) == Limit::kDisk || store_ == nullptr) return;
    EXPECT_LE(kLargeDiskBytes - env_->open("/s/store").value()->free_bytes().value(),
              options_.max_bytes);
  }
  [[nodiscard]] std::string value_of(int number) const {
    return std::string(value_bytes(), static_cast<char>('a' + number % 26)) +
           std::to_string(number);
  }
  // Applies a batch as the owner of a store without threads does.
  [[nodiscard]] Status apply_or_make_space(const Batch& batch) {
    const auto first = applied(*store_, batch);
    if (first || first.error().kind() != ErrorKind::kNoSpace) return first;
    const auto made = store_->make_space();
    EXPECT_TRUE(made) << made.error().message();
    return applied(*store_, batch);
  }
  // A refusal makes no storage call, for calls that wait and for those that do not.
  void expect_refused_at_once(const Batch& batch) {
    calls_ = 0;
    for (const auto& refused : {store_->apply(batch), store_->try_apply(batch)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace) << refused.error().message();
    }
    EXPECT_EQ(calls_, 0U);
  }
  // Applies batches until one is refused; returns how many were taken in.
  int fill() {
    for (int i = 0; i < 200000; ++i, ++next_) {
      Batch batch;
      const auto key = numbered_key(next_ * 7919 % 800000);
      batch.put(key, value_of(next_));
      const auto filled = apply_or_make_space(batch);
      if (!filled) {
        EXPECT_EQ(filled.error().kind(), ErrorKind::kNoSpace) << filled.error().message();
        EXPECT_NE(filled.error().message().find("/s/"), std::string::npos);
        expect_refused_at_once(batch);
        return i;
      }
      if (i % 16 == 0) expect_within_limit();
      values_[key] = value_of(next_);
    }
    ADD_FAILURE() << "the disk never became full";
    return 0;
  }
  void expect_all() { EXPECT_TRUE(values_of(*store_) == values_); }
  void reopen() {
    store_ = nullptr;
    store_ = open_store(hooked_, options_);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::uint64_t calls_ = 0;
  HookEnv hooked_{*env_, [this](storage::CallKind, const std::string&) {
                    ++calls_;
                    return Status(ok());
                  }};
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::map<std::string, std::string> values_;
  int next_ = 0;
};

TEST_P(FullDisk, TakesInWhatItCanKeep) {
  EXPECT_GT(fill(), 10);
  // All of it becomes durable, though the disk takes nothing more.
  ASSERT_TRUE(store_->sync());
  expect_all();
  const auto done = store_->checkpoint();
  ASSERT_TRUE(done) << done.error().message();
  expect_all();
  reopen();
  expect_all();
  expect_sound(*env_);
}

TEST_P(FullDisk, ACrashLosesNothingThatWasDurable) {
  fill();
  ASSERT_TRUE(store_->sync());
  store_ = nullptr;
  env_->crash(storage::CrashLoss::kDropUnsynced, 1);
  // The log goes into the tree on the full disk.
  reopen();
  expect_all();
  expect_sound(*env_);
}

TEST_P(FullDisk, RemovingMakesRoom) {
  fill();
  for (int round = 0; round < 3; ++round) {
    Batch removal;
    removal.remove_range({"", std::nullopt});
    const auto removed = store_->apply(removal);
    ASSERT_TRUE(removed) << removed.error().message();
    values_.clear();
    EXPECT_GT(fill(), 10) << round;
    expect_all();
  }
  reopen();
  expect_all();
  expect_sound(*env_);
}

TEST_P(FullDisk, SpaceThatOthersHaveMadeIsFound) {
  fill();
  limit_to(2 * kDiskBytes);
  EXPECT_GT(fill(), 10);
  ASSERT_TRUE(store_->checkpoint());
  expect_all();
}

// The store finds that space is free once the cursor that kept it ends, though nothing has changed
// since. The space may be in small pieces, as in a tree that is written again and again.
TEST_P(FullDisk, SpaceThatACursorKeptIsFound) {
  fill();
  auto cursor = std::make_unique<Cursor>(store_->cursor());
  Batch removal;
  removal.remove_range({"", std::nullopt});
  ASSERT_TRUE(store_->apply(removal));
  values_.clear();
  ASSERT_TRUE(store_->checkpoint());
  fill();
  cursor.reset();
  EXPECT_GT(fill(), 10);
  expect_all();
}

// Nodes hold the first key of each page; with such long keys they could become as long as the runs.
TEST(FullDiskOfLongKeys, TakesInWhatItCanKeep) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.parameters = {65536, 1 << 20, 16, 1 << 20, 2048};
  options.table_bytes = 1 << 17;
  options.dirty_bytes = 1 << 15;
  options.level = 0;
  auto store = open_store(*env, options);
  env->set_capacity(std::uint64_t{10} << 20);
  int count = 0;
  for (bool is_full = false; !is_full; ++count) {
    Batch batch;
    batch.put(std::string(4070, 'k') + numbered_key(count * 7919 % 800000), "value");
    is_full = !applied(*store, batch);
    if (is_full) {
      ASSERT_TRUE(store->make_space());
      is_full = !applied(*store, batch);
    }
  }
  EXPECT_GT(count, 1000);
  ASSERT_TRUE(store->sync());
  const auto done = store->checkpoint();
  ASSERT_TRUE(done) << done.error().message();
  store = nullptr;
  store = open_store(*env, options);
  EXPECT_EQ(values_of(*store).size(), static_cast<std::size_t>(count - 1));
}

class FullExtentVolume : public FullDisk {};

// Removed values lay among those that are left, in pieces that are each too short. Together they
// are less than what is left, so the store cleans only to find space for the value.
TEST_P(FullExtentVolume, AValueFindsSpaceThatIsInPieces) {
  fill();
  const auto middle = std::next(values_.begin(), static_cast<std::ptrdiff_t>(values_.size() / 3));
  Batch removal;
  removal.remove_range({"", middle->first});
  ASSERT_TRUE(store_->apply(removal));
  values_.erase(values_.begin(), middle);
  ASSERT_TRUE(store_->checkpoint());
  Batch batch;
  const std::string value(std::size_t{120} << 10, 'v');
  batch.put("long", value);
  const auto put = apply_or_make_space(batch);
  ASSERT_TRUE(put) << put.error().message();
  values_["long"] = value;
  ASSERT_TRUE(store_->checkpoint());
  reopen();
  expect_all();
  expect_sound(*env_);
}

// Small values, and large ones, which go to the extent volume.
INSTANTIATE_TEST_SUITE_P(ValueBytes, FullDisk,
                         testing::Combine(testing::Values(400, 3000),
                                          testing::Values(Limit::kDisk, Limit::kCap)));
INSTANTIATE_TEST_SUITE_P(ValueBytes, FullExtentVolume,
                         testing::Combine(testing::Values(3000),
                                          testing::Values(Limit::kDisk, Limit::kCap)));

}  // namespace
}  // namespace dgfs::test
