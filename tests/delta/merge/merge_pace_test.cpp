// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/live/merge_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "storage/posix/env.h"

namespace dgfs::test {
namespace {

using builder::Phase;
using builder::Progress;
using merge::MergePace;
using merge::PaceOptions;

constexpr std::uint64_t kMs = 1'000'000;

Progress packed(std::uint64_t bytes, std::uint64_t total) {
  return {Phase::kPacking, 0, 0, bytes, total};
}

class MergePaceTest : public testing::Test {
 protected:
  /// What a build does: reads contents, and tells its progress.
  void pass(MergePace& pace, const Progress& now) {
    pace.note(now);
    if (now.phase == Phase::kPacking) {
      pace.pass(now.content_bytes - std::min(passed_, now.content_bytes));
      passed_ = now.content_bytes;
    }
  }
  /// Time that the real clock says a call takes.
  static std::uint64_t ns_of(const std::function<void()>& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  }

  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();  ///< has a real clock
  std::uint64_t passed_ = 0;
};

TEST_F(MergePaceTest, WithoutBoundsItNeverSleeps) {
  MergePace pace(*env_, {});
  pass(pace, {Phase::kScanning, 5, 0, 0, 0});
  pass(pace, packed(std::uint64_t{1} << 40, std::uint64_t{1} << 41));
  EXPECT_FALSE(pace.stop_flag());
  EXPECT_FALSE(pace.is_disk_full());
  EXPECT_EQ(pace.waited_ns(), 0U);
  EXPECT_EQ(pace.done_bytes(), std::uint64_t{1} << 40);
  EXPECT_EQ(pace.total_bytes(), std::uint64_t{1} << 41);
}

TEST_F(MergePaceTest, ThePercentageNeverFalls) {
  MergePace pace(*env_, {});
  EXPECT_EQ(pace.percent(), 0U);
  unsigned last = 0;
  const auto expect_at = [&](unsigned low, unsigned high) {
    EXPECT_GE(pace.percent(), std::max(last, low));
    EXPECT_LE(pace.percent(), high);
    last = pace.percent();
  };
  pass(pace, {Phase::kScanning, 1'000, 0, 0, 500});
  expect_at(0, 10);
  pass(pace, {Phase::kPacking, 0, 1'000, 0, 1 << 20});
  expect_at(10, 10);
  pass(pace, {Phase::kPacking, 500, 1'000, 1 << 19, 1 << 20});
  expect_at(40, 60);
  pass(pace, {Phase::kPacking, 400, 1'000, 1 << 18, 1 << 20});
  expect_at(40, 60);
  pass(pace, {Phase::kPacking, 9'000, 1'000, 1 << 24, 1 << 20});
  expect_at(95, 95);
  pass(pace, {Phase::kIndexing, 1'000, 1'000, 1 << 20, 1 << 20});
  expect_at(95, 95);
  pass(pace, {Phase::kSyncing, 1'000, 1'000, 1 << 20, 1 << 20});
  expect_at(97, 97);
  pace.note_made();
  expect_at(99, 99);
  pace.note_end();
  expect_at(100, 100);
  pass(pace, {Phase::kSyncing, 1'000, 1'000, 1 << 20, 1 << 20});
  expect_at(100, 100);
}

TEST_F(MergePaceTest, AnEmptyMergeDividesByNothing) {
  MergePace pace(*env_, {});
  pass(pace, {Phase::kPacking, 0, 0, 0, 0});
  EXPECT_LE(pace.percent(), 100U);
}

TEST_F(MergePaceTest, TheRateOfBytesIsBounded) {
  PaceOptions options;
  options.bytes_per_second = 1'000'000;
  MergePace pace(*env_, options);
  const auto took = ns_of([&] {
    for (std::uint64_t bytes = 0; bytes <= 200'000; bytes += 20'000) {
      pass(pace, packed(bytes, 200'000));
    }
  });
  EXPECT_GE(took, 195 * kMs);
  EXPECT_EQ(pace.waited_ns(), 0U) << "nobody else has held it up";
}

// The scan takes as long as it takes.
TEST_F(MergePaceTest, TheRateCountsFromTheBeginOfPacking) {
  PaceOptions options;
  options.bytes_per_second = 1'000'000;
  MergePace pace(*env_, options);
  pass(pace, {Phase::kScanning, 1, 0, 0, 0});
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  const auto took = ns_of([&] {
    pass(pace, packed(0, 100'000));
    pass(pace, packed(100'000, 100'000));
  });
  EXPECT_GE(took, 95 * kMs);
}

TEST_F(MergePaceTest, ItGivesWayWhileOthersWait) {
  int left = 3;
  PaceOptions options;
  options.others_wait = [&] { return left-- > 0; };
  MergePace pace(*env_, options);
  const auto took = ns_of([&] { pass(pace, packed(0, 1)); });
  EXPECT_GE(took, 60 * kMs);
  EXPECT_GE(pace.waited_ns(), 60 * kMs);
  const auto waited = pace.waited_ns();
  pass(pace, packed(1, 1));
  EXPECT_EQ(pace.waited_ns(), waited);
}

// Else it would make up for the pause with a burst.
TEST_F(MergePaceTest, APauseMakesItNoFasterAfterwards) {
  int left = 0;
  PaceOptions options;
  options.bytes_per_second = 1'000'000;
  options.others_wait = [&] { return left-- > 0; };
  MergePace pace(*env_, options);
  pass(pace, packed(0, 200'000));
  left = 5;  // 100 ms
  pass(pace, packed(1, 200'000));
  const auto took = ns_of([&] { pass(pace, packed(100'000, 200'000)); });
  EXPECT_GE(took, 90 * kMs);
}

TEST_F(MergePaceTest, ItSharesTheTimeWithOthersThatWork) {
  bool works = true;
  PaceOptions options;
  options.others_work = [&] { return works; };
  MergePace pace(*env_, options);
  pass(pace, packed(0, 4));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GE(ns_of([&] { pass(pace, packed(1, 4)); }), 95 * kMs);
  EXPECT_GE(pace.waited_ns(), 95 * kMs);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  works = false;
  const auto waited = pace.waited_ns();
  pass(pace, packed(2, 4));
  EXPECT_EQ(pace.waited_ns(), waited);
}

// Else a merge with a bound would have half of it.
TEST_F(MergePaceTest, ASleepForTheRateIsNoWork) {
  PaceOptions options;
  options.bytes_per_second = 1'000'000;
  options.others_work = [] { return true; };
  MergePace pace(*env_, options);
  pass(pace, packed(0, 500'000));
  pass(pace, packed(400'000, 500'000));  // sleeps for 400 ms
  pass(pace, packed(400'000, 500'000));
  EXPECT_LT(pace.waited_ns(), 300 * kMs);
}

TEST_F(MergePaceTest, AFullDiskStopsIt) {
  std::uint64_t free_bytes = 100;
  PaceOptions options;
  options.free_bytes = [&] { return free_bytes; };
  options.free_bytes_min = 100;
  MergePace pace(*env_, options);
  pass(pace, packed(0, 1));
  EXPECT_FALSE(pace.stop_flag());
  free_bytes = 99;
  pass(pace, packed(1, 1));
  EXPECT_TRUE(pace.stop_flag());
  EXPECT_TRUE(pace.is_disk_full());
}

TEST_F(MergePaceTest, AStopIsNoFullDisk) {
  MergePace pace(*env_, {});
  pace.stop();
  EXPECT_TRUE(pace.stop_flag());
  EXPECT_FALSE(pace.is_disk_full());
}

TEST_F(MergePaceTest, AStopEndsASleepForTheRate) {
  PaceOptions options;
  options.bytes_per_second = 1;
  MergePace pace(*env_, options);
  pass(pace, packed(0, 1'000'000));
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pace.stop();
  });
  const auto took = ns_of([&] { pass(pace, packed(1'000'000, 1'000'000)); });
  stopper.join();
  EXPECT_GE(took, 40 * kMs);
  EXPECT_LT(took, 10'000 * kMs);
}

TEST_F(MergePaceTest, AStopEndsAPauseForOthers) {
  PaceOptions options;
  options.others_wait = [] { return true; };
  MergePace pace(*env_, options);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pace.stop();
  });
  const auto took = ns_of([&] { pass(pace, packed(0, 1)); });
  stopper.join();
  EXPECT_GE(took, 40 * kMs);
  EXPECT_LT(took, 10'000 * kMs);
  EXPECT_GE(pace.waited_ns(), 40 * kMs);
}

}  // namespace
}  // namespace dgfs::test
