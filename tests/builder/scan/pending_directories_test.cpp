// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/pending_directories.h"

#include <gtest/gtest.h>

#include "format/entry/mode.h"
#include "storage/memory/env.h"

namespace dgfs::builder {
namespace {

constexpr std::size_t kHeld = PendingDirectories::kHeldMax;

class PendingDirectoriesTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::uint64_t add_record(std::uint32_t type, const std::string& name, std::uint64_t inode) {
    ScannedEntry entry;
    entry.mode = type | 0700;
    entry.name = name;
    entry.device = 5;
    entry.inode = inode;
    return tree_.add(entry).value();
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  TreeSpool tree_{{env_.get(), "/", 1000}};
};

// Every third entry is a directory. While these are visited, their own children enter the spool.
TEST_P(PendingDirectoriesTest, ComeInOrderWhateverIsHeld) {
  const std::string prefix = std::string("above") + '\0';
  ASSERT_TRUE(tree_.begin_directory(prefix));
  PendingDirectories pending(tree_);
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i < 3 * GetParam(); ++i) {
    const std::string name = "n" + std::to_string(i);
    if (i % 3 != 1) {
      add_record(format::kTypeRegular, name, i);
      continue;
    }
    offsets.push_back(add_record(format::kTypeDirectory, name, i));
    pending.add({name, {5, i}, offsets.back()});
  }
  pending.end();
  EXPECT_EQ(pending.empty(), GetParam() == 0);
  for (std::size_t k = 0; k < GetParam(); ++k) {
    const auto next = pending.next();
    ASSERT_TRUE(next && next.value()) << k;
    EXPECT_EQ(next.value()->name, "n" + std::to_string(3 * k + 1));
    EXPECT_EQ(next.value()->identity, (FileIdentity{5, 3 * k + 1}));
    EXPECT_EQ(next.value()->record_offset, offsets[k]);
    // Memory is released and the entry found again, sometimes more than once before the next.
    if (k % 5 < 2) pending.release();
    if (k % 7 == 0) pending.release();
    ASSERT_TRUE(tree_.begin_directory(prefix + next.value()->name + '\0'));
    add_record(format::kTypeDirectory, "child", 0);
  }
  const auto last = pending.next();
  ASSERT_TRUE(last);
  EXPECT_FALSE(last.value());
}

INSTANTIATE_TEST_SUITE_P(Counts, PendingDirectoriesTest,
                         testing::Values(0, 1, kHeld - 1, kHeld, kHeld + 1, 2 * kHeld,
                                         3 * kHeld + 7));

}  // namespace
}  // namespace dgfs::builder
