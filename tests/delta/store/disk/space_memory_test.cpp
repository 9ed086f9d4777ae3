// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Space that is taken and given back while memory is lacking: none of it is lost.
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <vector>

#include "delta/store/disk/block_file.h"
#include "delta/store/disk/space_map.h"
#include "delta/store/extent/value_binder.h"
#include "storage/forwarding_env.h"
#include "storage/memory/env.h"
#include "tests/support/failing_heap.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

// Gives back the extent while an allocation fails, and once more without a failure if that was
// refused. Returns whether it was refused.
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

// A file whose writes find no memory for a while.
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
  std::unique_ptr<FailingHeap> heap;  ///< present from such a write on
};

class BlockFileMemory : public testing::Test {
 protected:
  /// Blocks of 1 to 6 units; the second and the fourth are free again, each between used ones.
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
  /// A writing call ends without memory, also while it notes the space that it gives back.
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

// The first two lie side by side; if they cannot be written together, each is written alone.
TEST_F(BlockFileMemory, WritesOfSeveralTakeNothingButWhatTheyTell) {
  const auto block = block_of(2);
  const std::array<Bytes, 2> blocks = {block, block};
  std::vector<Extent> extents;
  expect_nothing_lost([&] { return file_->write_all(blocks, extents); });
  EXPECT_TRUE(extents.empty());
}

// A file that follows a script: what to do with each write; later writes are normal.
class ScriptedFile final : public storage::ForwardingFile {
 public:
  enum class Step { kWrites, kFails, kThrows };

  using ForwardingFile::ForwardingFile;
  Status write_at(std::uint64_t offset_bytes, Bytes data) override {
    const auto step = steps.empty() ? Step::kWrites : steps.front();
    if (!steps.empty()) steps.erase(steps.begin());
    if (step == Step::kThrows) throw std::bad_alloc();
    if (step == Step::kFails) return Error(ErrorKind::kNoSpace, 1, "as told");
    return ForwardingFile::write_at(offset_bytes, data);
  }

  std::vector<Step> steps;
};

class ExtentVolumeMemory : public testing::Test {
 protected:
  static constexpr std::size_t kValueBytes = 1000;

  ExtentVolumeMemory() {
    auto owned = std::make_unique<ScriptedFile>(
        memory_->open("/extents", {storage::OpenOptions::Mode::kCreateNew}).value());
    inner_ = owned.get();
    volume_ = std::make_unique<ExtentVolume>(std::move(owned));
  }

  [[nodiscard]] std::unique_ptr<LargeValue> unbound() {
    return std::make_unique<LargeValue>(
        std::make_shared<const std::string>(std::string(kValueBytes, 'v')), *volume_);
  }
  void end_period() {
    volume_->begin_period();
    volume_->note_checkpoint();
  }
  [[nodiscard]] std::uint64_t used_bytes() const { return volume_->file().used_bytes(); }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  ScriptedFile* inner_ = nullptr;
  std::unique_ptr<ExtentVolume> volume_;
};

TEST_F(ExtentVolumeMemory, ADroppedValueWaitsUntilItCanBeFreed) {
  std::vector<std::unique_ptr<LargeValue>> values;
  ValueBinder binder(*volume_);
  for (int i = 0; i < 7; ++i) {
    values.push_back(unbound());
    ASSERT_TRUE(binder.add(*values.back()));
  }
  ASSERT_TRUE(binder.finish());
  {
    const FailingHeap heap(1, FailingHeap::Lasts::kOn);
    for (std::size_t i = 1; i < 7; i += 2) values[i].reset();
    end_period();
    volume_->free_dropped();
    EXPECT_TRUE(heap.failed());
  }
  EXPECT_EQ(used_bytes(), 7 * padded_bytes(kValueBytes));
  EXPECT_TRUE(volume_->has_dropped());
  volume_->free_dropped();
  EXPECT_EQ(used_bytes(), 4 * padded_bytes(kValueBytes));
  EXPECT_FALSE(volume_->has_dropped());
}

// There is no space for both together. The first finds space, the second no memory.
TEST_F(ExtentVolumeMemory, AValueThatWasWrittenHasItsPlaceAlsoIfTheNextOneThrows) {
  using Step = ScriptedFile::Step;
  auto first = unbound();
  auto second = unbound();
  ValueBinder binder(*volume_);
  ASSERT_TRUE(binder.add(*first));
  ASSERT_TRUE(binder.add(*second));
  inner_->steps = {Step::kFails, Step::kWrites, Step::kThrows};
  EXPECT_THROW(static_cast<void>(binder.finish()), std::bad_alloc);
  EXPECT_TRUE(first->place());
  EXPECT_FALSE(second->place());
  EXPECT_EQ(used_bytes(), padded_bytes(kValueBytes));
  first.reset();
  end_period();
  volume_->free_dropped();
  EXPECT_EQ(used_bytes(), 0U);
}

}  // namespace
}  // namespace dgfs::test
