// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/pacer.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using namespace delta;
using std::chrono::milliseconds;

// What a writer of `bytes` in pieces of 100 waits in all.
Pacer::Duration total_delay(Pacer& pacer, std::uint64_t bytes, const Pacer::Backlog& backlog) {
  Pacer::Duration total(0);
  for (std::uint64_t written = 0; written < bytes; written += 100) {
    total += pacer.delay(100, backlog);
  }
  return total;
}

TEST(Pacer, LetsWritersGoUpToHalf) {
  Pacer pacer;
  pacer.note_work(milliseconds(1000));
  EXPECT_EQ(total_delay(pacer, 1 << 20, {50, 100}).count(), 0);
}

TEST(Pacer, AtThreeQuartersWritersAreAsFastAsMaintenance) {
  constexpr std::uint64_t kRoom = 1 << 20;
  Pacer pacer;
  pacer.note_work(milliseconds(1000));
  const auto delay = total_delay(pacer, kRoom / 2, {kRoom / 4 * 3, kRoom});
  EXPECT_GT(delay, milliseconds(990));
  EXPECT_LE(delay, milliseconds(1010));
}

TEST(Pacer, IsSmooth) {
  constexpr std::uint64_t kRoom = 1 << 20;
  Pacer pacer;
  pacer.note_work(milliseconds(1000));
  auto last = Pacer::Duration(0);
  for (std::uint64_t percent = 55; percent <= 100; percent += 5) {
    const auto delay = total_delay(pacer, kRoom / 10, {kRoom * percent / 100, kRoom});
    EXPECT_GT(delay, last) << percent;
    last = delay;
  }
  // However large a batch is, it waits no longer at once.
  EXPECT_EQ(pacer.delay(kRoom * 100, {kRoom, kRoom}), milliseconds(20));
}

}  // namespace
}  // namespace dgfs::test
