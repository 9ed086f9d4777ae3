// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/known_objects.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace dgfs::fuse {
namespace {

TEST(KnownObjects, AreForgottenWithTheLastLookup) {
  KnownObjects known;
  known.add(7, 3);
  known.add(7);
  EXPECT_FALSE(known.remove(7, 3));
  EXPECT_TRUE(known.has(7));
  EXPECT_TRUE(known.remove(7, 1));
  EXPECT_FALSE(known.has(7));
  EXPECT_EQ(known.size(), 0u);
}

TEST(KnownObjects, TooManyForgetsAreAsGoodAsAll) {
  KnownObjects known;
  EXPECT_TRUE(known.remove(7, 1));
  known.add(7);
  EXPECT_TRUE(known.remove(7, UINT64_MAX));
  EXPECT_FALSE(known.has(7));
}

TEST(KnownObjects, AreUnprivilegedUntilSomebodyGrantsPrivileges) {
  KnownObjects known;
  known.add(7);
  EXPECT_FALSE(known.is_unprivileged(7));
  known.note_unprivileged(7, known.grants(7));
  EXPECT_TRUE(known.is_unprivileged(7));
  known.add(7, 5);
  EXPECT_FALSE(known.remove(7, 5)) << "the mark does not change the count";
  EXPECT_TRUE(known.is_unprivileged(7));
  known.note_grant(7);
  EXPECT_FALSE(known.is_unprivileged(7));
}

TEST(KnownObjects, PrivilegesThatComeWhileSomebodyLooksAreSeen) {
  KnownObjects known;
  known.add(7);
  const auto before = known.grants(7);
  known.note_grant(7);
  known.note_unprivileged(7, before);
  EXPECT_FALSE(known.is_unprivileged(7));
}

TEST(KnownObjects, WhatTheKernelDoesNotKnowIsNeverUnprivileged) {
  KnownObjects known;
  known.note_unprivileged(7, known.grants(7));
  EXPECT_FALSE(known.is_unprivileged(7));
  EXPECT_EQ(known.size(), 0u);
  known.add(7);
  known.note_unprivileged(7, known.grants(7));
  EXPECT_TRUE(known.remove(7, 1));
  known.add(7);
  EXPECT_FALSE(known.is_unprivileged(7)) << "an object that comes back has no mark";
}

TEST(KnownObjects, CountsOfManyThreadsAddUp) {
  KnownObjects known;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t inode = 0; inode < 1000; ++inode) known.add(inode, 2);
      for (std::uint64_t inode = 0; inode < 1000; ++inode) {
        static_cast<void>(known.remove(inode, 1));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(known.size(), 1000u);
  for (std::uint64_t inode = 0; inode < 1000; ++inode) EXPECT_TRUE(known.remove(inode, 4));
}

}  // namespace
}  // namespace dgfs::fuse
