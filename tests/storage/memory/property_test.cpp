// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the content of a file in memory with a plain array, through writes, truncations, syncs
// and crashes.
#include <algorithm>
#include <set>

#include "storage/memory/env.h"
#include "tests/storage/env_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;

constexpr std::uint64_t kSizeMax = 40000;

class MemoryFileProperty : public testing::TestWithParam<int> {
 protected:
  MemoryFileProperty() : random_(static_cast<std::uint64_t>(GetParam())) {
    EXPECT_TRUE(env_->open("/f", {storage::OpenOptions::Mode::kCreateNew}));
    EXPECT_TRUE(env_->sync_directory("/"));
    reopen();
  }
  void reopen() {
    file_ = std::move(env_->open("/f", {storage::OpenOptions::Mode::kReadWrite})).value();
  }
  Buffer stored() {
    Buffer bytes(file_->size().value());
    EXPECT_TRUE(read_exactly(*file_, 0, bytes));
    return bytes;
  }
  void write() {
    const std::uint64_t offset = random_.below(kSizeMax);
    const Buffer data = random_.bytes(random_.below(3000));
    ASSERT_OK(file_->write_at(offset, data));
    if (data.empty()) return;
    now_.resize(std::max<std::size_t>(now_.size(), offset + data.size()));
    std::copy(data.begin(), data.end(), now_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void truncate() {
    now_.resize(random_.below(kSizeMax));
    ASSERT_OK(file_->truncate(now_.size()));
  }
  // Expects data segments in order, and zeros outside of them.
  void check_holes() {
    std::uint64_t at = 0;
    while (true) {
      const auto data = file_->next_data(at).value();
      ASSERT_GE(data.begin, at);
      ASSERT_TRUE(std::all_of(now_.begin() + static_cast<std::ptrdiff_t>(at),
                              now_.begin() + static_cast<std::ptrdiff_t>(data.begin),
                              [](std::uint8_t byte) { return byte == 0; }));
      if (data.begin == data.end) return;
      at = data.end;
    }
  }

  Random random_;
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::unique_ptr<storage::File> file_;
  Buffer now_;
  Buffer synced_;
};

TEST_P(MemoryFileProperty, AgreesWithAnArray) {
  for (int step = 0; step < 400 && !HasFatalFailure(); ++step) {
    const std::uint64_t choice = random_.below(20);
    if (choice < 14) write();
    if (choice == 14 || choice == 15) truncate();
    if (choice == 16 || choice == 17) {
      ASSERT_OK(file_->sync());
      synced_ = now_;
    }
    if (choice >= 18) {
      const bool keep = choice == 19;
      env_->crash(keep ? CrashLoss::kKeepAll : CrashLoss::kDropUnsynced, random_.seed());
      if (keep) synced_ = now_;
      now_ = synced_;
      reopen();
    }
    ASSERT_EQ(stored(), now_) << "step " << step;
    check_holes();
  }
}

// Each write gives its sectors one value, so each sector must have the value of some write, or of
// the sync.
class SectorLoss : public MemoryFileProperty {
 protected:
  static constexpr std::size_t kSector = 512;
  static constexpr std::size_t kSectors = 64;

  // Notes the values that each sector may have after a crash.
  void write_sectors() {
    possible_.assign(kSectors, {0});
    ASSERT_OK(file_->truncate(0));
    ASSERT_OK(file_->truncate(kSectors * kSector));
    ASSERT_OK(file_->sync());
    for (std::uint8_t value = 1; value <= 40; ++value) {
      const std::size_t first = random_.below(kSectors);
      const std::size_t count = 1 + random_.below(kSectors - first);
      ASSERT_OK(file_->write_at(first * kSector, Buffer(count * kSector, value)));
      for (std::size_t sector = first; sector < first + count; ++sector) {
        possible_[sector].insert(value);
      }
    }
  }
  void expect_whole_sectors(const Buffer& after) {
    for (std::size_t sector = 0; sector < kSectors; ++sector) {
      const auto begin = after.begin() + static_cast<std::ptrdiff_t>(sector * kSector);
      EXPECT_EQ(std::count(begin, begin + kSector, *begin), std::ptrdiff_t{kSector}) << sector;
      EXPECT_EQ(possible_[sector].count(*begin), 1U) << sector;
    }
  }

  std::vector<std::set<std::uint8_t>> possible_;
};

TEST_P(SectorLoss, AtRandomKeepsSectorsWhole) {
  // About one crash in a hundred has no visible loss.
  constexpr int kCrashes = 10;
  int lossy = 0;
  for (int i = 0; i < kCrashes; ++i) {
    write_sectors();
    const Buffer before = stored();
    env_->crash(CrashLoss::kRandomSubset, random_.seed() + static_cast<std::uint64_t>(i));
    reopen();
    const Buffer after = stored();
    ASSERT_EQ(after.size(), before.size());
    if (after != before) ++lossy;
    expect_whole_sectors(after);
  }
  EXPECT_GT(lossy, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryFileProperty, testing::Range(1, 9));
INSTANTIATE_TEST_SUITE_P(Seeds, SectorLoss, testing::Range(1, 9));

}  // namespace
}  // namespace dgfs::test
