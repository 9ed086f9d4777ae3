// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/read_through.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace dgfs::test {
namespace {

using fuse::ReadThrough;
using reader::StoredRange;

constexpr auto kPiece = ReadThrough::kPieceBytes;
constexpr auto kEnough = ReadThrough::kEnoughBytes;

// Reads bytes [begin, end) by `length` at a time; returns the numbers of the pieces that return.
std::vector<std::uint64_t> read_in_order(ReadThrough& reads, std::uint64_t begin, std::uint64_t end,
                                         std::uint64_t length) {
  std::vector<std::uint64_t> pieces;
  for (auto at = begin; at < end; at += length) {
    for (const auto& range : reads.saw_read({0, at, std::min(length, end - at)})) {
      EXPECT_EQ(range.length_bytes, kPiece);
      EXPECT_EQ(range.offset_bytes % kPiece, 0u);
      pieces.push_back(range.offset_bytes / kPiece);
    }
  }
  return pieces;
}

TEST(ReadThrough, APieceReturnsOnceTheNextWasReadThrough) {
  ReadThrough reads;
  EXPECT_TRUE(read_in_order(reads, 0, kPiece + kEnough - 1, 5000).empty());
  EXPECT_EQ(read_in_order(reads, kPiece + kEnough - 1, kPiece + kEnough, 1),
            std::vector<std::uint64_t>{0});
  EXPECT_EQ(read_in_order(reads, 2 * kPiece, 5 * kPiece, 128 << 10),
            (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(ReadThrough, OneReadMayEndSeveralPieces) {
  ReadThrough reads;
  const auto pieces = reads.saw_read({3, 1, 4 * kPiece});
  ASSERT_EQ(pieces.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pieces[i].volume, 3u);
    EXPECT_EQ(pieces[i].offset_bytes, i * kPiece);
  }
}

TEST(ReadThrough, ALongReadReturnsNoMoreThanFit) {
  ReadThrough reads;
  EXPECT_EQ(reads.saw_read({0, 0, 20 * kPiece}).size(), ReadThrough::kDueMax);
  EXPECT_EQ(read_in_order(reads, 20 * kPiece, 22 * kPiece, kPiece),
            (std::vector<std::uint64_t>{19, 20}));
}

// Its pages have just been read: the kernel could not drop them.
TEST(ReadThrough, APieceThatIsReadTwiceInARowWaitsOn) {
  ReadThrough reads;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(read_in_order(reads, 0, kPiece, 128 << 10).empty());
  }
  EXPECT_EQ(read_in_order(reads, kPiece, 2 * kPiece, 128 << 10), std::vector<std::uint64_t>{0});
}

TEST(ReadThrough, VolumesCountByThemselves) {
  ReadThrough reads;
  for (std::uint16_t volume = 0; volume < 8; ++volume) {
    EXPECT_TRUE(reads.saw_read({volume, 0, kEnough / 8}).empty());
  }
  EXPECT_TRUE(reads.saw_read({5, kEnough / 8, kEnough - kEnough / 8}).empty());
  const auto pieces = reads.saw_read({2, kEnough / 8, kEnough - kEnough / 8});
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].volume, 5u);
}

// A program that reads some files here and there has no second copy of their neighbours.
TEST(ReadThrough, APieceThatIsReadInPartsDoesNotReturn) {
  ReadThrough reads;
  for (std::uint64_t piece = 0; piece < 100; ++piece) {
    for (std::uint64_t part = 0; part < 7; ++part) {
      EXPECT_TRUE(reads.saw_read({0, piece * kPiece + part * (512 << 10), 4096}).empty());
    }
  }
}

// More pieces are under way than it remembers: it forgets the one that was not read for the
// longest.
TEST(ReadThrough, ForgetsThePieceThatWasNotReadForTheLongest) {
  ReadThrough reads;
  const auto half = kPiece / 2;
  for (std::uint64_t piece = 0; piece < 65; ++piece) {
    EXPECT_TRUE(reads.saw_read({0, piece * kPiece, half}).empty());
  }
  std::size_t returned = 0;
  for (std::uint64_t piece = 1; piece < 65; ++piece) {
    returned += reads.saw_read({0, piece * kPiece + half, half}).size();
  }
  EXPECT_EQ(returned, 63u);
  EXPECT_TRUE(reads.saw_read({0, half, half}).empty()) << "the first half was forgotten";
  EXPECT_EQ(reads.saw_read({0, 0, half}).size(), 1u);
}

// Whatever the order of the reads, each piece returns once, after enough of it was read.
TEST(ReadThrough, EachPieceReturnsOnceInAnyOrderOfItsReads) {
  constexpr std::uint64_t kRead = 256 << 10;
  constexpr std::uint64_t kPieces = 20;
  std::mt19937_64 random(7);
  ReadThrough reads;
  std::vector<std::uint64_t> places;
  for (std::uint64_t at = 0; at < kPieces * kPiece; at += kRead) places.push_back(at);
  std::shuffle(places.begin(), places.end(), random);
  std::array<std::uint64_t, kPieces> read_of{};
  std::array<int, kPieces> returned{};
  for (const auto at : places) {
    read_of[at / kPiece] += kRead;
    for (const auto& piece : reads.saw_read({0, at, kRead})) {
      const auto number = piece.offset_bytes / kPiece;
      ASSERT_LT(number, kPieces);
      EXPECT_GE(read_of[number], kEnough);
      ++returned[number];
    }
  }
  EXPECT_EQ(std::count(returned.begin(), returned.end(), 1), kPieces - 1) << "the last one waits";
  EXPECT_EQ(std::count(returned.begin(), returned.end(), 0), 1);
}

}  // namespace
}  // namespace dgfs::test
