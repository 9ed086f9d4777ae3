// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The reads and writes of opening a store. The test counts calls at the storage.
#include <gtest/gtest.h>

#include "storage/testing/faulty_env.h"
#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kSegmentBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

StoreParameters parameters() {
  StoreParameters parameters;
  parameters.segment_bytes = kSegmentBytes;
  return parameters;
}

class StoreOpening : public CountedStore {
 protected:
  StoreOpening() : CountedStore(parameters()) {}

  // Writes groups of some pages each to the log.
  void log_groups(int count) {
    for (int group = 0; group < count; ++group) {
      for (int number = 0; number < 10; ++number) put(next_++, std::string(1500, 'v'));
      ASSERT_TRUE(store_->sync());
    }
  }
  // Leaves groups of three periods in the segments.
  void fill_and_close() {
    for (int period = 0; period < 3; ++period) {
      log_groups(20);
      ASSERT_TRUE(store_->checkpoint());
    }
    ASSERT_TRUE(store_->close());
  }
  [[nodiscard]] std::uint64_t log_reads() const {
    return counts("log.0").reads + counts("log.1").reads;
  }
  [[nodiscard]] std::uint64_t log_read_bytes() const {
    return counts("log.0").read_bytes + counts("log.1").read_bytes;
  }
  void open_and_count() {
    store_.reset();
    env_->reset();
    store_ = open_store(*env_, options_);
    ASSERT_NE(store_, nullptr);
  }

  int next_ = 0;
};

TEST_F(StoreOpening, OfAStoreThatWasClosedReadsTheBeginsOfItsSegmentsAlone) {
  fill_and_close();
  open_and_count();
  EXPECT_LE(log_reads(), 2U);
  EXPECT_LE(log_read_bytes(), 2 * kGroupAlignmentBytes);
  const auto values = values_of(*store_);
  EXPECT_EQ(values.size(), static_cast<std::size_t>(next_));
}

TEST_F(StoreOpening, OfAStoreThatWasNotClosedReadsItsLogInLargePieces) {
  fill_and_close();
  reopen();
  log_groups(20);
  open_and_count();
  // The store reads the groups, the rest of that segment, and the begin of the other one.
  EXPECT_LE(log_reads(), kSegmentBytes / kPieceBytes + 4);
  EXPECT_LE(log_read_bytes(), kSegmentBytes + kPieceBytes);
  EXPECT_EQ(values_of(*store_).size(), static_cast<std::size_t>(next_));
}

TEST_F(StoreOpening, TakesTheLogAsEmptyOnlyUntilSomethingIsLogged) {
  fill_and_close();
  reopen();
  log_groups(1);
  reopen();
  EXPECT_EQ(values_of(*store_).size(), static_cast<std::size_t>(next_));
  log_groups(2);
  reopen();
  EXPECT_EQ(values_of(*store_).size(), static_cast<std::size_t>(next_));
}

// The segment that was empty at the close begins with an old group, before and after the lost
// write.
TEST_F(StoreOpening, MissesAFirstGroupWhoseWriteWasLostAfterAClose) {
  fill_and_close();
  store_.reset();
  const auto faulty = storage::make_faulty_env(*memory_, 1);
  faulty->only_for(
      [](const std::string& path) { return storage::base_name(path).starts_with("log."); });
  store_ = open_store(*faulty, options_);
  faulty->arm({storage::FaultKind::kLostWrite, 1, false});
  log_groups(2);
  EXPECT_EQ(faulty->fired(), 1U);
  store_.reset();
  const auto opened = Store::open(*memory_, "/s", options_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), 7023) << opened.error().message();
}

TEST_F(StoreOpening, IsPossibleAgainAfterEachOfManyCloses) {
  for (int round = 0; round < 6; ++round) {
    if (round % 2 == 0) log_groups(1);
    ASSERT_TRUE(store_->close());
    reopen();
    ASSERT_EQ(values_of(*store_).size(), static_cast<std::size_t>(next_));
    expect_sound(*memory_);
  }
}

TEST_F(StoreOpening, IsWhatAClosedStoreNeedsBeforeItIsWrittenTo) {
  log_groups(1);
  ASSERT_TRUE(store_->close());
  Batch batch;
  batch.put("k", "v");
  const auto put = applied(*store_, batch);
  const auto synced = store_->sync();
  const auto made = store_->checkpoint();
  for (const Status* refused : {&put, &synced, &made}) {
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().code(), 7131);
  }
  EXPECT_EQ(values_of(*store_).size(), static_cast<std::size_t>(next_)) << "the store can be read";
}

}  // namespace
}  // namespace dgfs::test
