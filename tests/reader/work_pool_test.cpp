// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

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

TEST(WorkPool, AnExceptionOfTheWorkComesOutOfFinish) {
  std::atomic<int> done = 0;
  reader::WorkPool<int> pool(2, 8, [&](const int& task) {
    if (task == 3) throw std::bad_alloc();
    ++done;
  });
  for (int i = 1; i <= 100; ++i) pool.push(i);  // no push waits for room that never comes
  EXPECT_THROW(pool.finish(), std::bad_alloc);
  EXPECT_LT(done, 100);
}

TEST(WorkPool, AnExceptionThatNobodyAsksForIsDropped) {
  const reader::WorkPool<int> idle(1, 1, [](const int&) {});
  reader::WorkPool<int> pool(1, 1, [](const int&) { throw std::bad_alloc(); });
  pool.push(1);
}

}  // namespace
}  // namespace dgfs::test
