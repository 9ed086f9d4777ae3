// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>

namespace dgfs::test {
namespace {

TEST(WorkPool, BoundsTheNumberOfThreads) {
  std::atomic<int> sum = 0;
  reader::WorkPool<int> pool(1000000, 8, [&](const int& task) { sum += task; });
  EXPECT_LE(pool.thread_count(), reader::WorkPool<int>::kThreadsMax);
  for (int i = 1; i <= 100; ++i) pool.push(i);
  pool.finish();
  EXPECT_EQ(sum, 5050);
}

TEST(WorkPool, WithoutThreadsTheCallerDoesTheWork) {
  int sum = 0;
  reader::WorkPool<int> pool(0, 1, [&](const int& task) { sum += task; });
  for (int i = 1; i <= 100; ++i) pool.push(i);
  pool.finish();
  EXPECT_EQ(sum, 5050);
}

}  // namespace
}  // namespace dgfs::test
