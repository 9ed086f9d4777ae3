// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/ahead/file_sequences.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using fuse::FileSequences;
using fuse::InodeRange;

constexpr InodeRange kNames{100, 200};

TEST(FileSequences, TheThirdFileInOrderBringsTheNext) {
  FileSequences sequences;
  sequences.listed(kNames);
  EXPECT_FALSE(sequences.read(100));
  EXPECT_FALSE(sequences.read(101));
  const auto range = sequences.read(103);  // 102 may be a directory
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, 104u);
  EXPECT_GT(range->end, 104u);
  EXPECT_LE(range->end, kNames.end);
}

TEST(FileSequences, GoesOnWhereItWasBroughtToAndEndsWithTheDirectory) {
  FileSequences sequences;
  sequences.listed(kNames);
  format::InodeNumber at = kNames.begin;
  unsigned reads = 0;
  while (at < kNames.end) {
    ++reads;
    const auto range = sequences.read(at);
    ++at;
    if (!range) continue;
    EXPECT_EQ(range->begin, at);
    EXPECT_LE(range->end, kNames.end);
    sequences.brought(*range);
    at = range->end;
  }
  EXPECT_LT(reads, 10u);
}

TEST(FileSequences, WhatWasBroughtIsNotBroughtAgain) {
  FileSequences sequences;
  sequences.listed(kNames);
  for (const auto inode : {100u, 101u}) EXPECT_FALSE(sequences.read(inode));
  const auto range = sequences.read(102);
  ASSERT_TRUE(range);
  sequences.brought(*range);
  EXPECT_FALSE(sequences.read(range->begin + 1));
  EXPECT_TRUE(sequences.read(range->end));
}

TEST(FileSequences, UnlistedFilesAreNotBrought) {
  FileSequences sequences;
  for (format::InodeNumber inode = 1; inode < 50; ++inode) EXPECT_FALSE(sequences.read(inode));
}

TEST(FileSequences, ALongDirectoryIsListedInPieces) {
  FileSequences sequences;
  sequences.listed({100, 140});
  sequences.listed({140, 180});
  sequences.listed({100, 140});  // the first piece again
  for (const auto inode : {137u, 138u, 139u}) (void)sequences.read(inode);
  (void)sequences.read(140);
  const auto range = sequences.read(141);
  ASSERT_TRUE(range);
  EXPECT_GT(range->end, 142u);
}

TEST(FileSequences, AWalkComesBackToADirectory) {
  FileSequences sequences;
  sequences.listed(kNames);
  for (const auto inode : {100u, 101u, 102u}) (void)sequences.read(inode);
  sequences.listed({500, 520});
  EXPECT_TRUE(sequences.read(500))
      << "a walk known from one directory continues in the next at once";
  EXPECT_TRUE(sequences.read(103));
}

TEST(FileSequences, RandomReadsBringNextToNothing) {
  for (const format::InodeNumber size : {5u, 15u, 400u}) {
    FileSequences sequences;
    SeededEngine random(1);
    unsigned ranges = 0;
    constexpr unsigned kReads = 3000;
    for (unsigned i = 0; i < kReads; ++i) {
      const auto directory = 1 + size * (random() % 40);
      sequences.listed({directory, directory + size});
      if (sequences.read(directory + random() % size)) ++ranges;
    }
    EXPECT_LT(ranges, kReads / 10) << "with directories of size " << size;
  }
}

}  // namespace
}  // namespace dgfs::test
