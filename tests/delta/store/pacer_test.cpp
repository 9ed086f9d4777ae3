// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/pacer.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using namespace delta;
using std::chrono::milliseconds;

constexpr milliseconds kBegin(5000);

// A pacer whose last piece of work took so long.
Pacer pacer_after(milliseconds duration) {
  Pacer pacer;
  pacer.begin_work(kBegin - duration);
  pacer.end_work(kBegin);
  return pacer;
}

// The delay of the next writer after a write of so many bytes.
Pacer::Duration delay_after(Pacer& pacer, std::uint64_t bytes, const Pacer::Backlog& backlog,
                            Pacer::Duration now = kBegin) {
  pacer.charge(bytes, backlog, now);
  const bool is_due = pacer.is_delay_due();
  const auto delay = pacer.take_delay();
  EXPECT_EQ(is_due, delay.count() != 0);
  return delay;
}

// The total delay of a writer that writes `bytes` in pieces of 100.
Pacer::Duration total_delay(Pacer& pacer, std::uint64_t bytes, const Pacer::Backlog& backlog) {
  Pacer::Duration total(0);
  for (std::uint64_t written = 0; written < bytes; written += 100) {
    total += delay_after(pacer, 100, backlog);
  }
  return total;
}

TEST(Pacer, LetsWritersGoUpToHalf) {
  Pacer pacer = pacer_after(milliseconds(1000));
  EXPECT_EQ(total_delay(pacer, 1 << 20, {50, 100}).count(), 0);
}

TEST(Pacer, AtThreeQuartersWritersAreAsFastAsMaintenance) {
  constexpr std::uint64_t kRoom = 1 << 20;
  Pacer pacer = pacer_after(milliseconds(1000));
  const auto delay = total_delay(pacer, kRoom / 2, {kRoom / 4 * 3, kRoom});
  EXPECT_GT(delay, milliseconds(990));
  EXPECT_LE(delay, milliseconds(1010));
}

TEST(Pacer, IsSmooth) {
  constexpr std::uint64_t kRoom = 1 << 20;
  Pacer pacer = pacer_after(milliseconds(1000));
  auto last = Pacer::Duration(0);
  for (std::uint64_t percent = 55; percent <= 90; percent += 5) {
    const auto delay = total_delay(pacer, kRoom / 100, {kRoom * percent / 100, kRoom});
    EXPECT_GT(delay, last) << percent;
    last = delay;
  }
  // No batch, however large, waits longer than this at once. Its rest delays later writers once
  // more, by no more than this.
  EXPECT_EQ(delay_after(pacer, kRoom * 100, {kRoom, kRoom}), milliseconds(20));
  EXPECT_EQ(delay_after(pacer, 1, {kRoom / 4 * 3, kRoom}), milliseconds(20));
  EXPECT_LT(delay_after(pacer, 1, {kRoom / 4 * 3, kRoom}), milliseconds(1));
}

// The first piece of work, or one that lasts longer than the last: the pacer holds back a writer
// that would fill the room in a tenth of a second for as long as the work takes.
TEST(Pacer, NobodyRunsIntoTheWallWhileWorkLasts) {
  constexpr std::uint64_t kRoom = 1 << 20;
  constexpr std::uint64_t kBatch = kRoom / 10000;
  Pacer pacer;
  auto now = Pacer::Duration(0);
  pacer.begin_work(now);
  std::uint64_t used = kRoom / 2;
  while (now < std::chrono::seconds(3)) {
    used += kBatch;
    ASSERT_LT(used, kRoom) << now.count();
    now += std::chrono::microseconds(20) + delay_after(pacer, kBatch, {used, kRoom}, now);
  }
  EXPECT_GT(used, kRoom / 4 * 3);
}

}  // namespace
}  // namespace dgfs::test
