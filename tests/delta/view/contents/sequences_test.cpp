// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/sequences.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dgfs::test {
namespace {

using view::Sequences;

constexpr std::uint64_t kRead = 4096;

TEST(Sequences, AreAnnouncedOnceAndInLargePieces) {
  Sequences sequences;
  std::uint64_t announced_end = 0;
  int pieces = 0;
  for (std::uint64_t at = 0; at < 16 * Sequences::kAheadBytes; at += kRead) {
    const auto ahead = sequences.note(7, at, kRead);
    EXPECT_EQ(ahead.goes_on, at != 0);
    if (at == 0) {
      EXPECT_TRUE(ahead.empty());
      continue;
    }
    EXPECT_GE(std::max(announced_end, ahead.end_bytes), at + kRead + Sequences::kAheadBytes / 2);
    if (ahead.empty()) continue;
    EXPECT_EQ(ahead.begin_bytes, announced_end == 0 ? at + kRead : announced_end);
    EXPECT_LE(ahead.end_bytes, at + kRead + Sequences::kAheadBytes);
    announced_end = ahead.end_bytes;
    ++pieces;
  }
  EXPECT_LE(pieces, 33);
}

TEST(Sequences, ReadsInNoOrderAreNone) {
  Sequences sequences;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_TRUE(sequences.note(7, i * 7919 % 1000 * 2 * kRead, kRead).empty());
  }
}

TEST(Sequences, OfSeveralFilesAndReadersGoOnBesideEachOther) {
  Sequences sequences;
  int pieces = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    for (std::uint64_t reader = 0; reader < 4; ++reader) {
      const auto at = reader % 2 * (std::uint64_t{1} << 30) + i * kRead;
      if (!sequences.note(7 + reader / 2, at, kRead).empty()) ++pieces;
    }
  }
  EXPECT_EQ(pieces, 4);
}

}  // namespace
}  // namespace dgfs::test
