// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/block_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

#include "storage/forwarding_env.h"
#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
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

// Gives some of the bytes at hand, sound or damaged.
class AtHandFile final : public storage::ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  std::size_t read_at_hand(std::uint64_t offset_bytes, MutableBytes out) const override {
    Buffer whole(out.size());
    EXPECT_TRUE(storage::read_exactly(*this, offset_bytes, whole));
    std::copy_n(whole.begin(), at_hand_bytes, out.begin());
    if (is_damaged && at_hand_bytes != 0) out[0] = 'b';
    return at_hand_bytes;
  }

  std::size_t at_hand_bytes = 0;
  bool is_damaged = false;
};

TEST(BlockFileAtHand, AllOrNothingOfItIsTaken) {
  const auto memory = storage::make_memory_env(1);
  auto owned = std::make_unique<AtHandFile>(
      memory->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  AtHandFile& at_hand = *owned;
  BlockFile file(std::move(owned));
  std::string text(1000, 'a');
  text[999] = 'z';
  const auto place = file.write(as_bytes(text));
  ASSERT_TRUE(place);
  for (const std::size_t bytes : {0U, 1U, 999U, 1000U}) {
    at_hand.at_hand_bytes = bytes;
    for (const bool is_damaged : {false, true}) {
      at_hand.is_damaged = is_damaged;
      bool has_waited = false;
      const auto read = file.read_unchecked(place.value().extent(), &has_waited);
      EXPECT_EQ(has_waited, bytes < 1000) << bytes;
      ASSERT_TRUE(read);
      const auto checked = file.check(place.value(), as_bytes(read.value()));
      if (bytes == 1000 && is_damaged) {
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().kind(), ErrorKind::kCorrupt);
      } else {
        ASSERT_TRUE(checked);
        EXPECT_EQ(read.value(), text);
      }
    }
  }
}

// A later sync, perhaps for another reason, must not report success.
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

// The second sync finds nothing left to write; it waits for the first one's end and fails, too.
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
  first_syncs.release();  // needed if the first sync never came to the hook
}

TEST(BlockFileThreads, NobodyWaitsForWhoAsksForSpace) {
  std::counting_semaphore<2> asked(0);
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
  asked.release();  // needed if no space was asked for
}

// A file of ten blocks of 4 KiB, of which the last eight are free again.
class ShorterBlockFile : public BlockFileFaults {
 protected:
  ShorterBlockFile() {
    for (int i = 0; i < 10; ++i) {
      places_.push_back(file_.write(Buffer(4096, static_cast<std::uint8_t>('a' + i))).value());
    }
    for (int i = 2; i < 10; ++i) file_.free(places_[static_cast<std::size_t>(i)].extent());
  }
  [[nodiscard]] std::uint64_t size_bytes() const {
    return memory_->open("/blocks").value()->size().value();
  }
  void shorten(std::uint64_t kept_bytes, std::uint64_t least_bytes) {
    file_.shorten([kept_bytes] { return kept_bytes; }, least_bytes);
  }

  std::vector<Place> places_;
};

TEST_F(ShorterBlockFile, KeepsWhatIsInReserve) {
  constexpr std::uint64_t kKept = 8192;
  memory_->set_capacity(10 * 4096);
  ASSERT_TRUE(file_.reserve(kKept));
  shorten(kKept, 4096);
  EXPECT_EQ(size_bytes(), 2 * 4096 + kKept);
  // Another file takes the rest; the reserve is still there.
  const auto other = memory_->open("/other", {storage::OpenOptions::Mode::kCreateNew}).value();
  ASSERT_TRUE(other->write_at(0, Buffer(6 * 4096)));
  ASSERT_FALSE(other->write_at(6 * 4096, Buffer(1)));
  EXPECT_TRUE(file_.reserve(kKept));
  EXPECT_FALSE(file_.reserve(kKept + 1));
  EXPECT_TRUE(file_.write(Buffer(kKept, 'r')));
  EXPECT_EQ(file_.read(places_[1]).value(), Buffer(4096, 'b'));
}

TEST_F(ShorterBlockFile, StaysIfLittleIsFree) {
  shorten(0, 8 * 4096 + 1);
  EXPECT_EQ(size_bytes(), 10 * 4096U);
  shorten(8 * 4096 - 4096, 1);  // less than an eighth
  EXPECT_EQ(size_bytes(), 10 * 4096U);
}

TEST_F(ShorterBlockFile, StaysIfItCannotBeCut) {
  faulty_->arm({storage::FaultKind::kIoError, 2});  // the first call asks for the size
  shorten(0, 1);
  EXPECT_EQ(size_bytes(), 10 * 4096U);
  const auto place = file_.write(Buffer(4096, 'n'));
  ASSERT_TRUE(place);
  EXPECT_EQ(file_.read(place.value()).value(), Buffer(4096, 'n'));
}

TEST(BlockFileThreads, WhoWritesBehindTheNewEndWaitsUntilItIsOne) {
  std::counting_semaphore<2> cutting(0);
  std::binary_semaphore writing(0);
  std::binary_semaphore written(0);
  const auto memory = storage::make_memory_env(1);
  HookEnv env(*memory, [&](storage::CallKind kind, const std::string&) -> Status {
    if (kind != storage::CallKind::kAllocate) return ok();
    cutting.release();
    writing.acquire();
    EXPECT_FALSE(written.try_acquire_for(std::chrono::milliseconds(200)));
    return ok();
  });
  BlockFile file(env.open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  const auto place = file.write(Buffer(8192, 'a'));
  ASSERT_TRUE(place);
  file.free(place.value().extent());
  Result<Place> later = Place();
  {
    std::jthread other([&] {
      cutting.acquire();
      writing.release();
      later = file.write(Buffer(4096, 'b'));
      written.release();
    });
    file.shorten([] { return std::uint64_t{0}; }, 1);
    cutting.release();  // needed if the file was not cut
  }
  ASSERT_TRUE(later);
  EXPECT_EQ(file.read(later.value()).value(), Buffer(4096, 'b'));
  EXPECT_EQ(memory->open("/blocks").value()->size().value(), 4096U);
}

// A file of twenty blocks of 4 KiB; only every fifth is in use.
class SparseBlockFile : public BlockFileFaults {
 protected:
  SparseBlockFile() {
    std::vector<Place> places;
    for (int i = 0; i < 20; ++i) places.push_back(file_.write(Buffer(4096, 'o')).value());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i % 5 != 4) file_.free(places[i].extent());
    }
  }
};

TEST_F(SparseBlockFile, IsClosedBehindWhatItWouldTake) {
  EXPECT_EQ(file_.close_sparse_end(1 << 20, 4096), 5 * 4096U);  // four blocks, and a quarter more
  const auto place = file_.write_before_end(Buffer(4096, 'm'));
  ASSERT_TRUE(place && place.value());
  EXPECT_EQ(place.value()->offset_bytes, 0U);
  EXPECT_EQ(file_.read(*place.value()).value(), Buffer(4096, 'm'));
  const auto long_one = file_.write_before_end(Buffer(16000, 'm'));
  EXPECT_TRUE(long_one && !long_one.value());
  EXPECT_EQ(file_.write(Buffer(16000, 'w')).value().offset_bytes, 5 * 4096U);
}

TEST_F(SparseBlockFile, IsClosedBehindWhatMayBeMoved) {
  EXPECT_EQ(file_.close_sparse_end(6000, 4096), 15 * 4096 - (6000 - 4096));
  EXPECT_EQ(file_.write(Buffer(4 * 4096, 'w')).value().offset_bytes, 0U);
  file_.open_end();
  EXPECT_EQ(file_.close_sparse_end(6000, 12 * 4096 + 1), std::nullopt);
}

// The free space may be all that there is for the reserve.
TEST_F(SparseBlockFile, IsLeftAloneIfItsSpaceIsInReserve) {
  memory_->set_capacity(20 * 4096);
  ASSERT_TRUE(file_.reserve(4 * 4096));
  EXPECT_EQ(file_.close_sparse_end(1 << 20, 4096), std::nullopt);
  const auto place = file_.write_before_end(Buffer(4096, 'm'));
  EXPECT_TRUE(place && !place.value());
  ASSERT_TRUE(file_.reserve(0));
  EXPECT_TRUE(file_.close_sparse_end(1 << 20, 4096));
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
  for (std::uint64_t failing = 0; failing < 2; ++failing) {  // 0: no call fails
    faulty_->arm({storage::FaultKind::kIoError, failing});
    std::vector<Extent> extents;
    ASSERT_TRUE(file_.write_all(blocks, extents));
    ASSERT_EQ(extents.size(), 2U);
    EXPECT_EQ(file_.read_unchecked(extents[0]).value(), std::string(100, 'a'));
    EXPECT_EQ(file_.read_unchecked(extents[1]).value(), std::string(700, 'b'));
    EXPECT_EQ(extents[1].offset_bytes, extents[0].offset_bytes + kBlockAlignmentBytes);
  }
}

TEST_F(BlockFileFaults, BlocksThatCannotBeWrittenAtAllHaveNoPlaces) {
  const Buffer block(100, 'a');
  const std::vector<Bytes> blocks = {block, block, block};
  faulty_->arm({storage::FaultKind::kIoError, 1, true});
  std::vector<Extent> extents;
  const auto written = file_.write_all(blocks, extents);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::kIo);
  EXPECT_TRUE(extents.empty());
}

}  // namespace
}  // namespace dgfs::test
