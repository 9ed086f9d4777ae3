// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/progress_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "storage/forwarding_env.h"
#include "storage/memory/env.h"

namespace dgfs::test {
namespace {

constexpr int kRounds = 2000;

// A clock that two threads ask at the same time; each answer is a second later.
class MeetingEnv final : public storage::ForwardingEnv {
 public:
  using storage::ForwardingEnv::ForwardingEnv;

  std::uint64_t monotonic_ns() const override {
    if (!meets) return 0;
    const auto round = arrived_.fetch_add(1) / 2 + 1;
    while (arrived_ < 2 * round) std::this_thread::yield();
    return round * 1'000'000'000;
  }

  bool meets = false;

 private:
  mutable std::atomic<std::uint64_t> arrived_ = 0;
};

TEST(ProgressClock, IsDueForOneOfThoseWhoAsk) {
  const auto memory = storage::make_memory_env(1);
  MeetingEnv env(*memory);
  reader::ProgressClock clock(env);
  env.meets = true;
  std::atomic<int> due = 0;
  const auto ask = [&] {
    for (int round = 0; round < kRounds; ++round) {
      if (clock.due()) ++due;
    }
  };
  std::thread other(ask);
  ask();
  other.join();
  EXPECT_EQ(due, kRounds);
}

}  // namespace
}  // namespace dgfs::test
