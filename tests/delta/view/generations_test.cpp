// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/generations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "delta/view/record/keys.h"
#include "delta/view/writer.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr view::ObjectNumber kObject = 1;

// A generation, and the next one, which has another live store over the same image.
class GenerationsTest : public testing::Test {
 protected:
  GenerationsTest() {
    tree_.pack();
    image_ = tree_.open();
    const auto& superblock = image_->superblock();
    delta::StoreOptions options;
    options.create = true;
    options.parameters.segment_bytes = 1 << 18;
    expect_ok(delta::DeltaDirectory::create(tree_.memory(), "/delta", superblock.uuid,
                                            superblock.next_inode, options));
    delta_ = value_of(delta::DeltaDirectory::open(tree_.memory(), "/delta", options));
    first_ = view::generation_of(*image_, *delta_);
    options.sequence = 100;
    fresh_ = value_of(delta::Store::open(tree_.memory(), "/fresh", options));
    next_ = std::make_shared<const view::Generation>(
        first_->image(), std::vector<std::shared_ptr<delta::Store>>{first_->stores()[0], fresh_},
        first_->chunks());
  }
  // Puts a record of the number of the attempt; the first attempt also calls `between`.
  Result<int> change(view::Generations& generations, const std::function<void()>& between) {
    view::Writer writer(tree_.memory(), generations, orphans_);
    int attempts = 0;
    return writer.change<int>({kObject}, [&](view::Change& change) -> Result<std::optional<int>> {
      static_cast<void>(change.moment());
      if (++attempts == 1) between();
      change.put(view::RecordClass::kTarget, kObject, {}, std::to_string(attempts));
      return std::optional(attempts);
    });
  }
  [[nodiscard]] static std::optional<std::string> record_in(delta::Store& store) {
    return value_of(store.get(key_of(view::RecordClass::kTarget, kObject)));
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::shared_ptr<delta::Store> fresh_;
  view::GenerationRef first_;
  view::GenerationRef next_;
  view::Orphans orphans_;
};

TEST_F(GenerationsTest, ABatchGoesIntoTheStoreThatItWasDecidedOn) {
  view::Generations generations(first_);
  EXPECT_EQ(value_of(change(generations, [] {})), 1);
  EXPECT_EQ(record_in(first_->live()), "1");
}

TEST_F(GenerationsTest, AChangeOfAnOlderGenerationIsDecidedAgain) {
  view::Generations generations(first_);
  EXPECT_EQ(value_of(change(generations, [&] { generations.change([&] { return next_; }); })), 2);
  EXPECT_EQ(record_in(first_->live()), std::nullopt);
  EXPECT_EQ(record_in(*fresh_), "2");
}

TEST_F(GenerationsTest, AChangeOfAnOlderGenerationWithTheSameStoreIsApplied) {
  view::Generations generations(first_);
  const auto again = view::generation_of(*image_, *delta_);
  EXPECT_EQ(value_of(change(generations, [&] { generations.change([&] { return again; }); })), 1);
  EXPECT_EQ(generations.current(), again);
  EXPECT_EQ(record_in(first_->live()), "1");
}

TEST_F(GenerationsTest, WithoutANewGenerationTheOldOneStays) {
  view::Generations generations(first_);
  generations.change([] { return view::GenerationRef(); });
  EXPECT_EQ(generations.current(), first_);
  EXPECT_TRUE(generations.pass(*first_));
}

// The last one who uses a generation ends it, and with it what only it has.
TEST_F(GenerationsTest, AGenerationLivesAsLongAsItIsUsed) {
  view::Generations generations(first_);
  const std::weak_ptr<const view::Generation> watched = first_;
  auto moment = std::make_unique<view::Moment>(std::exchange(first_, nullptr));
  generations.change([&] { return next_; });
  EXPECT_FALSE(watched.expired());
  moment = nullptr;
  EXPECT_TRUE(watched.expired());
}

// Readers of the gate are always under way, so a gate that prefers them would never close.
TEST_F(GenerationsTest, TheGateClosesUnderAStreamOfWriters) {
  view::Generations generations(first_);
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      while (!stop) {
        const auto pass = generations.pass(*first_);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    generations.change([] { return view::GenerationRef(); });
  }
  stop = true;
  for (auto& writer : writers) writer.join();
}

}  // namespace
}  // namespace dgfs::test
