// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/testing/faulty_env.h"

#include <algorithm>
#include <bit>
#include <set>

#include "tests/storage/env_fixture.h"

namespace dgfs::test {
namespace {

using storage::Fault;
using storage::FaultKind;

class FaultyEnvTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = std::move(memory_->open("/f", kCreate)).value();
    ASSERT_OK(file->write_at(0, Buffer(1000, 0xaa)));
    file_ = std::move(env_->open("/f", {storage::OpenOptions::Mode::kReadWrite})).value();
  }
  // The content of the file below.
  Buffer stored() {
    const auto file = std::move(memory_->open("/f")).value();
    Buffer bytes(file->size().value());
    EXPECT_TRUE(read_exactly(*file, 0, bytes));
    return bytes;
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::FaultyEnv> env_ = storage::make_faulty_env(*memory_, 7);
  std::unique_ptr<storage::File> file_;
};

TEST_F(FaultyEnvTest, FailsTheNthCallOnly) {
  env_->arm({FaultKind::kIoError, 2});
  EXPECT_TRUE(file_->size());
  EXPECT_FAILS(ErrorKind::kIo, file_->size());
  EXPECT_TRUE(file_->size());
  EXPECT_EQ(env_->calls(), 3U);
  EXPECT_EQ(env_->fired(), 1U);
}

TEST_F(FaultyEnvTest, StickyFaultStays) {
  env_->arm({FaultKind::kIoError, 2, true});
  EXPECT_TRUE(file_->sync());
  EXPECT_FAILS(ErrorKind::kIo, file_->sync());
  EXPECT_FAILS(ErrorKind::kIo, env_->status("/f"));
  EXPECT_EQ(env_->fired(), 2U);
}

TEST_F(FaultyEnvTest, NoSpaceStrikesOnlyWhatAllocates) {
  env_->arm({FaultKind::kNoSpace, 1, true});
  EXPECT_TRUE(file_->size());
  EXPECT_FAILS(ErrorKind::kNoSpace, file_->write_at(0, Buffer(10, 1)));
  EXPECT_FAILS(ErrorKind::kNoSpace, file_->preallocate(0, 10));
  EXPECT_FAILS(ErrorKind::kNoSpace, env_->make_directory("/d", 0755));
  EXPECT_TRUE(env_->open("/f"));
  EXPECT_FAILS(ErrorKind::kNoSpace, env_->open("/g", kCreate));
  EXPECT_EQ(stored(), Buffer(1000, 0xaa));
}

TEST_F(FaultyEnvTest, ShortReadEndsEarly) {
  env_->arm({FaultKind::kShortRead, 1});
  Buffer bytes(1000);
  EXPECT_LT(file_->read_at(0, bytes).value(), 1000U);
  EXPECT_EQ(file_->read_at(0, bytes).value(), 1000U);
  EXPECT_EQ(env_->fired(), 1U);
}

TEST_F(FaultyEnvTest, BitFlipInvertsOneBit) {
  env_->arm({FaultKind::kBitFlip, 1});
  Buffer bytes(1000);
  EXPECT_EQ(file_->read_at(0, bytes).value(), 1000U);
  int flipped = 0;
  for (const std::uint8_t byte : bytes) flipped += std::popcount(byte ^ 0xaaU);
  EXPECT_EQ(flipped, 1);
}

TEST_F(FaultyEnvTest, TornWriteStoresAPrefix) {
  env_->arm({FaultKind::kTornWrite, 1});
  EXPECT_FAILS(ErrorKind::kIo, file_->write_at(0, Buffer(1000, 0x55)));
  const Buffer bytes = stored();
  const auto kept = std::find(bytes.begin(), bytes.end(), 0xaa);
  EXPECT_NE(kept, bytes.end());
  EXPECT_EQ(std::count(kept, bytes.end(), 0xaa), bytes.end() - kept);
}

TEST_F(FaultyEnvTest, ALostWriteLeavesWhatWasThere) {
  env_->arm({FaultKind::kLostWrite, 1});
  EXPECT_TRUE(file_->write_at(0, Buffer(500, 0x55)));
  EXPECT_EQ(stored(), Buffer(1000, 0xaa));
  EXPECT_TRUE(file_->write_at(0, Buffer(1000, 0x55)));
  EXPECT_EQ(stored(), Buffer(1000, 0x55));
}

TEST_F(FaultyEnvTest, AMisdirectedWriteGoesElsewhere) {
  ASSERT_OK(file_->write_at(0, Buffer(5000, 0xaa)));
  std::set<std::ptrdiff_t> places;
  for (int round = 0; round < 64; ++round) {
    env_->arm({FaultKind::kMisdirectedWrite, 1 + static_cast<std::uint64_t>(round)});
    for (int call = 0; call < round; ++call) ASSERT_TRUE(file_->size());
    EXPECT_TRUE(file_->write_at(1024, Buffer(600, 0x55)));
    const Buffer bytes = stored();
    EXPECT_EQ(bytes.size(), 5000U);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0x55), 600);
    const auto at = std::find(bytes.begin(), bytes.end(), 0x55) - bytes.begin();
    EXPECT_EQ(at % 512, 0);
    places.insert(at);
    ASSERT_OK(file_->write_at(0, Buffer(5000, 0xaa)));
  }
  EXPECT_EQ(places.size(), 8U);
  EXPECT_EQ(places.count(1024), 0U);
}

TEST_F(FaultyEnvTest, AMisdirectedWriteThatHasNoOtherPlaceIsLost) {
  env_->arm({FaultKind::kMisdirectedWrite, 1});
  EXPECT_TRUE(file_->write_at(0, Buffer(1000, 0x55)));
  EXPECT_EQ(stored(), Buffer(1000, 0xaa));
}

TEST_F(FaultyEnvTest, ALostSyncFailsOnceAndLosesForGood) {
  env_->lose_with([&](const std::string& path) { ASSERT_OK(memory_->lose_unsynced(path)); });
  ASSERT_OK(file_->sync());
  ASSERT_OK(env_->sync_directory("/"));
  ASSERT_OK(file_->write_at(0, Buffer(1000, 0x55)));
  env_->arm({FaultKind::kLostSync, 2});
  EXPECT_TRUE(file_->size());
  EXPECT_FAILS(ErrorKind::kIo, file_->sync());
  EXPECT_TRUE(file_->sync());
  EXPECT_EQ(stored(), Buffer(1000, 0x55));
  memory_->crash(storage::CrashLoss::kKeepAll, 0);
  EXPECT_EQ(stored(), Buffer(1000, 0xaa));
}

TEST_F(FaultyEnvTest, StopEndsEverything) {
  const auto dir = std::move(env_->open_directory("/")).value();
  env_->arm({FaultKind::kStop, 2});
  EXPECT_TRUE(file_->size());
  EXPECT_FAILS(ErrorKind::kIo, file_->write_at(0, Buffer(1000, 0x55)));
  EXPECT_FAILS(ErrorKind::kIo, file_->size());
  EXPECT_FAILS(ErrorKind::kIo, dir->list());
  EXPECT_FAILS(ErrorKind::kIo, env_->open("/f"));
  EXPECT_EQ(stored(), Buffer(1000, 0xaa));
}

TEST_F(FaultyEnvTest, OnlyForLimitsFaultPoints) {
  ASSERT_OK(env_->open("/other", kCreate));
  env_->only_for([](const std::string& path) { return path == "/other"; });
  env_->arm({FaultKind::kIoError, 1, true});
  EXPECT_TRUE(file_->size());
  EXPECT_EQ(env_->calls(), 0U);
  EXPECT_FAILS(ErrorKind::kIo, env_->open("/other"));
}

// The tests above use this loop: it must reach each call once, and end.
TEST_F(FaultyEnvTest, CountingUpReachesEveryCall) {
  const auto work = [&]() -> Status {
    DGFS_TRY(dir, env_->open_directory("/"));
    DGFS_TRY(names, dir->list());
    DGFS_TRY(unnamed, env_->create_unnamed("/"));
    DGFS_CHECK(unnamed->write_at(0, as_bytes(names.front())));
    return env_->publish(*unnamed, "/out");
  };
  std::uint64_t at_call = 1;
  for (;; ++at_call) {
    ASSERT_LT(at_call, 100U);
    env_->arm({FaultKind::kIoError, at_call});
    const Status status = work();
    EXPECT_EQ(status.has_value(), env_->fired() == 0);
    EXPECT_EQ(memory_->status("/out").has_value(), status.has_value());
    if (env_->fired() == 0) break;
  }
  EXPECT_EQ(at_call, 6U);  // five calls, and a sixth that does not come
}

}  // namespace
}  // namespace dgfs::test
