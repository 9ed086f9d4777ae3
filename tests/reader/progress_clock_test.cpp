// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/progress_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "storage/memory_env.h"

namespace dgfs::test {
namespace {

// Whoever asks at the same time, one of them is told to report.
TEST(ProgressClock, IsDueForOneThreadAtATime) {
  constexpr int kRounds = 2000;
  const auto env = storage::make_memory_env(1);
  env->set_now(Time{1'800'000'000, 0});
  reader::ProgressClock clock(*env);
  std::atomic<int> due = 0;
  std::barrier meeting(2);
  const auto ask = [&](bool moves) {
    for (int round = 1; round <= kRounds; ++round) {
      if (moves) env->set_now(Time{1'800'000'000 + round, 0});
      meeting.arrive_and_wait();
      if (clock.due()) ++due;
      meeting.arrive_and_wait();
    }
  };
  std::thread other(ask, false);
  ask(true);
  other.join();
  EXPECT_EQ(due, kRounds);
  EXPECT_FALSE(clock.due());
}

}  // namespace
}  // namespace dgfs::test
