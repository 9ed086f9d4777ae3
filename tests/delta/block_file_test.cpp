// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/disk/block_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

#include "storage/faulty_env.h"
#include "storage/memory_env.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

class BlockFileFaults : public testing::Test {
 protected:
  BlockFileFaults()
      : file_(faulty_->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value()) {}

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::FaultyEnv> faulty_ = storage::make_faulty_env(*memory_, 1);
  BlockFile file_;
};

// Whoever syncs next, maybe for another reason, must not be told that all is well.
TEST_F(BlockFileFaults, ASyncThatFailedFailsForEver) {
  ASSERT_TRUE(file_.write(Buffer(100, 'a')));
  faulty_->arm({storage::FaultKind::kIoError, 1});
  const auto failed = file_.sync();
  ASSERT_FALSE(failed);
  ASSERT_TRUE(file_.write(Buffer(100, 'b')));
  for (int i = 0; i < 2; ++i) {
    const auto again = file_.sync();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message(), failed.error().message());
  }
}

// One that comes while the other is under way finds nothing left to write: it waits for its end.
TEST(BlockFileThreads, ASyncBesideOneThatFailsFails) {
  std::counting_semaphore<2> first_syncs(0);
  std::binary_semaphore second_ended(0);
  const auto memory = storage::make_memory_env(1);
  HookEnv env(*memory, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (kind != storage::CallKind::kSync) return ok();
    first_syncs.release();
    EXPECT_FALSE(second_ended.try_acquire_for(std::chrono::milliseconds(200)));
    return Error(ErrorKind::kIo, 1193, "a sync that fails").in_file(path);
  });
  BlockFile file(env.open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  ASSERT_TRUE(file.write(Buffer(100, 'a')));
  std::jthread second([&] {
    first_syncs.acquire();
    EXPECT_FALSE(file.sync());
    second_ended.release();
  });
  EXPECT_FALSE(file.sync());
  first_syncs.release();  // if the first called nobody
}

TEST(BlockFileThreads, NobodyWaitsForWhoAsksForSpace) {
  std::binary_semaphore asked(0);
  std::binary_semaphore done(0);
  std::atomic<bool> has_asked = false;
  const auto memory = storage::make_memory_env(1);
  HookEnv env(*memory, [&](storage::CallKind kind, const std::string&) -> Status {
    if (kind != storage::CallKind::kAllocate) return ok();
    has_asked = true;
    asked.release();
    EXPECT_TRUE(done.try_acquire_for(std::chrono::seconds(20)));
    return ok();
  });
  BlockFile file(env.open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  std::jthread other([&] {
    asked.acquire();
    const auto place = file.write(Buffer(100, 'a'));
    EXPECT_TRUE(place && file.read(place.value()));
    EXPECT_EQ(file.written_bytes(), 100U);
    done.release();
  });
  EXPECT_TRUE(file.reserve(1000));
  EXPECT_TRUE(has_asked);
  asked.release();  // if it has asked for none
}

TEST_F(BlockFileFaults, AWriteThatFailsIsTriedElsewhere) {
  const Buffer block(100, 'a');
  faulty_->arm({storage::FaultKind::kIoError, 1});
  const auto place = file_.write(block);
  ASSERT_TRUE(place);
  EXPECT_EQ(place.value().offset_bytes, kBlockAlignmentBytes);
  EXPECT_EQ(file_.read(place.value()).value(), block);
}

TEST_F(BlockFileFaults, BlocksThatCannotBeWrittenTogetherAreWrittenOneByOne) {
  const Buffer first(100, 'a');
  const Buffer second(700, 'b');
  const std::vector<Bytes> blocks = {first, second};
  for (std::uint64_t failing = 0; failing < 2; ++failing) {  // 0: none
    faulty_->arm({storage::FaultKind::kIoError, failing});
    std::vector<Place> places;
    ASSERT_TRUE(file_.write_all(blocks, places));
    ASSERT_EQ(places.size(), 2U);
    EXPECT_EQ(file_.read(places[0]).value(), first);
    EXPECT_EQ(file_.read(places[1]).value(), second);
    EXPECT_EQ(places[1].offset_bytes, places[0].offset_bytes + kBlockAlignmentBytes);
  }
}

TEST_F(BlockFileFaults, BlocksThatCannotBeWrittenAtAllHaveNoPlaces) {
  const Buffer block(100, 'a');
  const std::vector<Bytes> blocks = {block, block, block};
  faulty_->arm({storage::FaultKind::kIoError, 1, true});
  std::vector<Place> places;
  const auto written = file_.write_all(blocks, places);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::kIo);
  EXPECT_TRUE(places.empty());
}

}  // namespace
}  // namespace dgfs::test
