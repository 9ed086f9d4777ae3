// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Space that is taken and given back where there is no memory: none of it is lost.
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <vector>

#include "delta/store/disk/block_file.h"
#include "delta/store/disk/space_map.h"
#include "storage/forwarding_env.h"
#include "storage/memory/env.h"
#include "tests/support/failing_heap.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

// With an allocation that fails, and when that has been refused, once more without. Returns whether
// it was.
bool give_back_twice(SpaceMap& map, const Extent& extent) {
  const SpaceMap before = map;
  try {
    const FailingHeap heap(1);
    map.give_back(extent);
    return false;
  } catch (const std::bad_alloc&) {
  }
  EXPECT_EQ(map.free_bytes(), before.free_bytes());
  EXPECT_EQ(map.end_bytes(), before.end_bytes());
  EXPECT_EQ(map.longest_free_bytes(), before.longest_free_bytes());
  map.give_back(extent);
  return true;
}

TEST(SpaceMapMemory, TakingNeedsNoneAndGivingBackLosesNothing) {
  Random random(1);
  int refused = 0;
  for (int round = 0; round < 50; ++round) {
    SpaceMap map;
    std::vector<Extent> taken;
    for (int step = 0; step < 200; ++step) {
      if (random.one_in(2) || taken.empty()) {
        const FailingHeap heap(1);
        const auto extent = map.take(1 + random.below(9));
        EXPECT_FALSE(heap.failed());
        const FailingHeap none(0);
        taken.push_back(extent);
        continue;
      }
      const auto at = taken.begin() + static_cast<std::ptrdiff_t>(random.below(taken.size()));
      if (give_back_twice(map, *at)) ++refused;
      taken.erase(at);
    }
    for (const Extent& extent : taken) map.give_back(extent);
    ASSERT_EQ(map.end_bytes(), 0U);
    ASSERT_EQ(map.free_bytes(), 0U);
  }
  EXPECT_GT(refused, 100);
}

// Whose writes find no memory for a while.
class OtherwiseFile final : public storage::ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  Status write_at(std::uint64_t offset_bytes, Bytes data) override {
    if (throws) {
      heap = std::make_unique<FailingHeap>(1, FailingHeap::Lasts::kOn);
      throw std::bad_alloc();
    }
    return ForwardingFile::write_at(offset_bytes, data);
  }

  bool throws = false;
  std::unique_ptr<FailingHeap> heap;  ///< from such a write on
};

class BlockFileMemory : public testing::Test {
 protected:
  /// Blocks of 1 to 6 units, of which 2 and 4 are free again: stretches that nothing free touches.
  BlockFileMemory() {
    auto owned = std::make_unique<OtherwiseFile>(
        memory_->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
    inner_ = owned.get();
    file_ = std::make_unique<BlockFile>(std::move(owned));
    std::vector<Place> places;
    for (std::size_t units = 1; units <= 6; ++units) places.push_back(write(units).value());
    file_->free(places[1].extent());
    file_->free(places[3].extent());
    used_bytes_ = file_->used_bytes();
  }

  Result<Place> write(std::size_t units) { return file_->write(block_of(units)); }
  [[nodiscard]] static Buffer block_of(std::size_t units) {
    return Buffer(units * kBlockAlignmentBytes, 7);
  }
  /// A call that writes ends without memory, also for noting what it gives back.
  template <class Call>
  void expect_nothing_lost(Call call) {
    inner_->throws = true;
    EXPECT_THROW(static_cast<void>(call()), std::bad_alloc);
    inner_->throws = false;
    inner_->heap.reset();
    file_->shorten([] { return 0; }, 0);
    EXPECT_EQ(file_->used_bytes(), used_bytes_);
    EXPECT_EQ(write(4).value().offset_bytes, 6 * kBlockAlignmentBytes);
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  OtherwiseFile* inner_ = nullptr;
  std::unique_ptr<BlockFile> file_;
  std::uint64_t used_bytes_ = 0;
};

TEST_F(BlockFileMemory, AWriteThatThrowsTakesNothing) {
  expect_nothing_lost([this] { return write(4); });
}

TEST_F(BlockFileMemory, ABlockThatCannotBeMovedTakesNothing) {
  expect_nothing_lost([this] { return file_->write_before_end(block_of(4)); });
}

// The first two lie side by side; where they cannot be written together they are one by one.
TEST_F(BlockFileMemory, WritesOfSeveralTakeNothingButWhatTheyTell) {
  const auto block = block_of(2);
  const std::array<Bytes, 2> blocks = {block, block};
  std::vector<Place> places;
  expect_nothing_lost([&] { return file_->write_all(blocks, places); });
  EXPECT_TRUE(places.empty());
}

}  // namespace
}  // namespace dgfs::test
