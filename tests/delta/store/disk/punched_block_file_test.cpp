// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Free stretches of a file of blocks whose space the disk has back.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "delta/store/disk/block_file.h"
#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kPage = 4096;

// Twenty blocks of a page each; the second to the eleventh are free.
class PunchedBlockFile : public testing::Test {
 protected:
  explicit PunchedBlockFile(std::uint64_t cap_bytes = 0) : cap_(cap_bytes) {
    open();
    for (int i = 0; i < 20; ++i) {
      places_.push_back(file_->write(Buffer(kPage, static_cast<std::uint8_t>(i))).value());
    }
    for (std::size_t i = 1; i <= 10; ++i) file_->free(places_[i].extent());
  }

  void open() {
    using Mode = storage::OpenOptions::Mode;
    const auto mode = memory_->status("/blocks") ? Mode::kReadWrite : Mode::kCreateNew;
    file_ = std::make_unique<BlockFile>(faulty_->open("/blocks", {mode}).value(), "blocks", &cap_);
    ASSERT_TRUE(file_->measure());
  }
  void reopen() {
    const auto space = file_->free_space();
    file_ = nullptr;
    cap_.give_back(cap_.taken_bytes());
    open();
    file_->restore(space);
    ASSERT_TRUE(file_->find_holes());
  }
  [[nodiscard]] std::uint64_t on_disk_bytes() const {
    return memory_->status("/blocks").value().allocated_bytes;
  }
  // Fills the disk up to so many pages.
  void fill_disk(std::uint64_t pages_left) {
    memory_->set_capacity(memory_->status("/blocks").value().allocated_bytes + pages_left * kPage);
  }
  void expect_kept() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (i >= 1 && i <= 10) continue;
      EXPECT_EQ(file_->read(places_[i]).value(), Buffer(kPage, static_cast<std::uint8_t>(i)));
    }
  }

  SizeCap cap_;
  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::FaultyEnv> faulty_ = storage::make_faulty_env(*memory_, 1);
  std::unique_ptr<BlockFile> file_;
  std::vector<Place> places_;
};

TEST_F(PunchedBlockFile, GivesBackWhatIsFree) {
  file_->punch(kPage, 0);
  EXPECT_EQ(on_disk_bytes(), 10 * kPage);
  EXPECT_EQ(file_->taken_bytes(), 10 * kPage);
  EXPECT_EQ(cap_.taken_bytes(), 10 * kPage);
  expect_kept();
}

TEST_F(PunchedBlockFile, KeepsShortStretchesAndAsMuchAsItIsTold) {
  file_->punch(10 * kPage + 1, 0);
  EXPECT_EQ(on_disk_bytes(), 20 * kPage);
  file_->punch(kPage, 4 * kPage);
  EXPECT_EQ(on_disk_bytes(), 14 * kPage);
  file_->punch(kPage, 4 * kPage);
  EXPECT_EQ(on_disk_bytes(), 14 * kPage);
  file_->punch(kPage, 0);
  EXPECT_EQ(on_disk_bytes(), 10 * kPage);
}

TEST_F(PunchedBlockFile, IsWrittenToWhereItHasHoles) {
  file_->punch(kPage, 0);
  const auto place = file_->write(Buffer(3 * kPage, 'n'));
  ASSERT_TRUE(place);
  EXPECT_EQ(place.value().offset_bytes, places_[1].offset_bytes);
  EXPECT_EQ(file_->read(place.value()).value(), Buffer(3 * kPage, 'n'));
  EXPECT_EQ(file_->taken_bytes(), 13 * kPage);
  EXPECT_EQ(on_disk_bytes(), 13 * kPage);
  expect_kept();
}

// The disk is full: the reserve lies behind all blocks, and holes do not count.
TEST_F(PunchedBlockFile, HasItsReserveOnAFullDisk) {
  file_->punch(kPage, 0);
  ASSERT_TRUE(file_->reserve(2 * kPage));
  fill_disk(0);
  const auto first = file_->write(Buffer(2 * kPage, 'r'));
  ASSERT_TRUE(first);
  EXPECT_GE(first.value().offset_bytes, 20 * kPage);
  EXPECT_EQ(file_->read(first.value()).value(), Buffer(2 * kPage, 'r'));
  EXPECT_FALSE(file_->has_reserved([] { return kPage << 9; }));
  EXPECT_FALSE(file_->reserve(kPage << 9));
  expect_kept();
}

// The reserve may count on free stretches between blocks that are no holes.
TEST_F(PunchedBlockFile, CountsOnWhatIsNoHole) {
  file_->punch(kPage, 4 * kPage);
  fill_disk(0);
  EXPECT_TRUE(file_->reserve(4 * kPage));
  EXPECT_FALSE(file_->reserve(5 * kPage));
  ASSERT_TRUE(file_->reserve(4 * kPage));
  const auto before = on_disk_bytes();
  file_->punch(kPage, 0);
  EXPECT_EQ(on_disk_bytes(), before);
  EXPECT_TRUE(file_->write(Buffer(4 * kPage, 'r')));
  EXPECT_FALSE(file_->write(Buffer(kPage, 'r')));
  expect_kept();
}

// A hole of two pages is the stretch that fits best, but the disk has no space for it. The block
// goes to a stretch that reserve() has counted on.
TEST_F(PunchedBlockFile, IsWrittenToElsewhereWhereAHoleFindsNoSpace) {
  const auto middle = file_->write(Buffer(10 * kPage, 'm')).value();
  for (const std::size_t i : {std::size_t{12}, std::size_t{13}}) file_->free(places_[i].extent());
  file_->punch(kPage, 0);
  EXPECT_EQ(on_disk_bytes(), 18 * kPage);
  file_->free(middle.extent());
  fill_disk(0);
  ASSERT_TRUE(file_->reserve(4 * kPage));
  for (int i = 0; i < 10; ++i) {
    const auto place = file_->write(Buffer(kPage, 'n'));
    ASSERT_TRUE(place) << i;
    EXPECT_GE(place.value().offset_bytes, places_[1].offset_bytes);
    EXPECT_LE(place.value().offset_bytes, places_[10].offset_bytes);
  }
  EXPECT_FALSE(file_->write(Buffer(kPage, 'n')));
  EXPECT_EQ(on_disk_bytes(), 18 * kPage);
}

// The blocks before the end are freed, too, so that the last used block lies before the holes.
TEST_F(PunchedBlockFile, IsCutWhereItEndsInHoles) {
  file_->punch(kPage, 0);
  for (std::size_t i = 11; i < 20; ++i) file_->free(places_[i].extent());
  EXPECT_EQ(file_->end_bytes(), kPage);
  ASSERT_TRUE(file_->reserve(2 * kPage));
  file_->shorten([] { return 2 * kPage; }, kPage);
  EXPECT_EQ(memory_->status("/blocks").value().size_bytes, 3 * kPage);
  EXPECT_EQ(file_->taken_bytes(), 3 * kPage);
  EXPECT_EQ(cap_.taken_bytes(), 3 * kPage);
  fill_disk(0);
  EXPECT_TRUE(file_->write(Buffer(2 * kPage, 'r')));
  EXPECT_FALSE(file_->write(Buffer(kPage, 'r')));
}

TEST_F(PunchedBlockFile, IsNotCutWhereTheReserveFindsNoSpace) {
  file_->punch(kPage, 0);
  for (std::size_t i = 11; i < 20; ++i) file_->free(places_[i].extent());
  fill_disk(0);
  file_->shorten([] { return 2 * kPage; }, kPage);
  EXPECT_EQ(memory_->status("/blocks").value().size_bytes, 20 * kPage);
}

TEST_F(PunchedBlockFile, FindsItsHolesAgain) {
  file_->punch(kPage, 3 * kPage);
  const auto taken_bytes = file_->taken_bytes();
  reopen();
  EXPECT_EQ(file_->taken_bytes(), taken_bytes);
  EXPECT_EQ(cap_.taken_bytes(), taken_bytes);
  fill_disk(0);
  EXPECT_TRUE(file_->reserve(3 * kPage));
  EXPECT_FALSE(file_->reserve(4 * kPage));
  expect_kept();
}

TEST_F(PunchedBlockFile, StaysWhereTheDiskRefuses) {
  faulty_->arm({storage::FaultKind::kIoError, 1});
  file_->punch(kPage, 0);
  EXPECT_EQ(file_->taken_bytes(), 20 * kPage);
  const auto place = file_->write(Buffer(10 * kPage, 'n'));
  ASSERT_TRUE(place);
  EXPECT_EQ(place.value().offset_bytes, places_[1].offset_bytes);
}

class PunchedBlockFileWithCap : public PunchedBlockFile {
 protected:
  PunchedBlockFileWithCap() : PunchedBlockFile(22 * kPage) {}
};

// Cutting the file would need more space than the cap allows, as the reserve lies in holes.
TEST_F(PunchedBlockFileWithCap, IsNotCutBeyondTheCap) {
  file_->punch(kPage, 0);
  for (std::size_t i = 11; i < 20; ++i) file_->free(places_[i].extent());
  ASSERT_TRUE(cap_.take(12 * kPage));
  file_->shorten([] { return 4 * kPage; }, kPage);
  EXPECT_EQ(cap_.taken_bytes(), 22 * kPage);
  EXPECT_EQ(on_disk_bytes(), 10 * kPage);
  cap_.give_back(4 * kPage);
  file_->shorten([] { return 4 * kPage; }, kPage);
  EXPECT_EQ(cap_.taken_bytes(), 8 * kPage + 5 * kPage);
  EXPECT_EQ(on_disk_bytes(), 5 * kPage);
}

TEST_F(PunchedBlockFileWithCap, TakesHolesAgainUpToTheCap) {
  file_->punch(kPage, 0);
  SizeCap& others = cap_;
  ASSERT_TRUE(others.take(10 * kPage));
  EXPECT_TRUE(file_->write(Buffer(kPage, 'n')));
  EXPECT_TRUE(file_->write(Buffer(kPage, 'n')));
  EXPECT_FALSE(file_->write(Buffer(kPage, 'n')));
  others.give_back(kPage);
  EXPECT_TRUE(file_->write(Buffer(kPage, 'n')));
  EXPECT_EQ(cap_.taken_bytes(), 22 * kPage);
}

// Whatever is written, freed, punched and cut, blocks keep their bytes, and the file takes no more
// of the disk than it reports.
TEST(PunchedBlockFiles, KeepTheirBlocks) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    SizeCap cap;
    const auto memory = storage::make_memory_env(1);
    BlockFile file(memory->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value(),
                   "blocks", &cap);
    ASSERT_TRUE(file.measure());
    std::vector<std::pair<Place, Buffer>> blocks;
    for (int step = 0; step < 300; ++step) {
      switch (random.below(6)) {
        case 0:
        case 1:
        case 2: {
          auto block = random.bytes(1 + random.below(5 * kPage));
          blocks.emplace_back(file.write(block).value(), std::move(block));
          break;
        }
        case 3:
          for (auto count = random.below(5); count > 0 && !blocks.empty(); --count) {
            const auto at = static_cast<std::ptrdiff_t>(random.below(blocks.size()));
            file.free(blocks[static_cast<std::size_t>(at)].first.extent());
            blocks.erase(blocks.begin() + at);
          }
          break;
        case 4:
          file.punch(kPage * (1 + random.below(3)), kPage * random.below(4));
          break;
        default:
          file.shorten([] { return std::uint64_t{0}; }, kPage);
      }
      ASSERT_EQ(cap.taken_bytes(), file.taken_bytes());
      ASSERT_GE(file.taken_bytes() + kPage, memory->status("/blocks").value().allocated_bytes);
    }
    for (const auto& [place, block] : blocks) EXPECT_EQ(file.read(place).value(), block);
  }
}

}  // namespace
}  // namespace dgfs::test
