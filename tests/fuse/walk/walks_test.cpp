// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/walks.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <set>
#include <thread>
#include <vector>

namespace dgfs::test {
namespace {

using fuse::Walkers;
using fuse::Walks;

constexpr format::InodeNumber kRoot = 1;

// Takes the place of the kernel.
class Dropped {
 public:
  void add(format::InodeNumber directory) {
    const std::lock_guard lock(mutex_);
    all_.insert(directory);
    threads_.insert(std::this_thread::get_id());
    changed_.notify_all();
  }
  [[nodiscard]] std::multiset<format::InodeNumber> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_.size() >= count; });
    return all_;
  }
  [[nodiscard]] bool has(std::thread::id thread) {
    const std::lock_guard lock(mutex_);
    return threads_.contains(thread);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<format::InodeNumber> all_;
  std::set<std::thread::id> threads_;
};

class WalksTest : public testing::Test {
 protected:
  void start() {
    walks_.start([this](format::InodeNumber directory) { dropped_.add(directory); });
  }
  // A walk by names through directories with 50 files each.
  void walk(Walkers::Id id, format::InodeNumber begin, format::InodeNumber end) {
    for (auto directory = begin; directory < end; ++directory) {
      const auto plan = walks_.plan(id, directory, kRoot, 1000);
      const std::array<format::InodeNumber, 2> probes{1000 * directory, 1000 * directory + 1};
      walks_.gave(id, directory, std::span(probes).first(plan.probes),
                  std::min<std::size_t>(plan.bare_names, 50));
    }
  }
  void look_up(format::InodeNumber directory) {
    for (format::InodeNumber i = 0; i < 50; ++i) walks_.saw_lookup(directory, 1000 * directory + i);
  }

  fuse::RequestCounters counters_;
  Dropped dropped_;
  Walks walks_{counters_};
};

TEST_F(WalksTest, BeforeTheStartAllListingsAreWhole) {
  walk(7, 100, 120);
  EXPECT_EQ(counters_.bare_names(), 0u);
}

TEST_F(WalksTest, ALaterWalkThatLooksUpDropsAnotherThreadsListings) {
  start();
  walk(7, 100, 120);
  EXPECT_EQ(counters_.bare_names(), 19u * 50);
  look_up(101);
  const auto dropped = dropped_.wait_for(18);
  EXPECT_EQ(dropped.size(), 18u);
  EXPECT_FALSE(dropped.contains(100)) << "it had no bare names";
  EXPECT_FALSE(dropped.contains(101)) << "its names are being looked up";
  EXPECT_EQ(counters_.dropped_listings(), 18u);
  EXPECT_FALSE(dropped_.has(std::this_thread::get_id()));
  EXPECT_EQ(walks_.plan(7, 130, kRoot, 1000), fuse::ListingPlan());
}

TEST_F(WalksTest, ManyDirectoriesTakeNoMoreMemory) {
  start();
  constexpr format::InodeNumber kMany = fuse::BareListings::kDirectoriesMax + 1000;
  walk(7, 100, 100 + kMany);
  const auto names = counters_.bare_names();
  EXPECT_EQ(names, fuse::BareListings::kDirectoriesMax * 50);
  walk(7, 100 + kMany, 100 + kMany + 10);
  EXPECT_EQ(counters_.bare_names(), names);
}

TEST_F(WalksTest, WhereNoListingsAreKeptNoneAreDropped) {
  walks_.start();
  walk(7, 100, 120);
  EXPECT_EQ(counters_.bare_names(), 19u * 50);
  look_up(101);
  EXPECT_EQ(counters_.dropped_listings(), 0u);
  EXPECT_EQ(walks_.plan(7, 130, kRoot, 1000), fuse::ListingPlan()) << "its names were looked up";
  constexpr format::InodeNumber kMany = fuse::BareListings::kDirectoriesMax + 1000;
  walk(8, 1000, 1000 + kMany);
  EXPECT_EQ(counters_.bare_names(), 19u * 50 + (kMany - 1) * 50) << "no reason to stop";
}

TEST_F(WalksTest, ThreadsMayWalkAndLookUpAtOnce) {
  start();
  std::vector<std::thread> threads;
  for (Walkers::Id id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] { walk(id, 1000 * id, 1000 * id + 500); });
    threads.emplace_back([&, id] {
      for (format::InodeNumber i = 0; i < 500; ++i) {
        look_up(1000 * id + i);
        walks_.saw_attributes(1'000'000 * id + i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto dropped = dropped_.wait_for(counters_.dropped_listings());
  EXPECT_EQ(dropped.size(), counters_.dropped_listings());
  walks_.stop();
  walks_.stop();
}

}  // namespace
}  // namespace dgfs::test
