// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The store does not copy bytes of values under the lock that readers take. The test counts
// allocations under it.
#include <string>

#include <gtest/gtest.h>

#include "delta/store/table_stack.h"
#include "tests/delta/store/lock_hooks.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kValueBytes = std::size_t{64} << 10;
// Room for nodes of the map, and for references to bytes.
constexpr std::uint64_t kSmallBytes = 8192;

class TableStackMemory : public testing::Test {
 protected:
  /// The bytes that a batch allocates while it holds the lock of readers.
  [[nodiscard]] std::uint64_t locked_bytes_of(const Batch& batch) {
    const FailingHeap heap(0);
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    // A writer takes another lock first.
    constexpr int kOfReaders = 2;
    const LockHooks hooks(
        [&](int held) {
          if (held == kOfReaders) begin = heap.allocated_bytes();
        },
        [&](int held) {
          if (held == kOfReaders - 1) bytes += heap.allocated_bytes() - begin;
        });
    EXPECT_TRUE(tables_.take_in(batch, 0));
    return bytes;
  }
  /// The bytes that a lookup allocates while it holds the lock.
  [[nodiscard]] std::uint64_t locked_bytes_of_lookup(const std::string& key) {
    const FailingHeap heap(0);
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    const LockHooks hooks([&](int) { begin = heap.allocated_bytes(); },
                          [&](int) { bytes += heap.allocated_bytes() - begin; });
    EXPECT_TRUE(tables_.find(key));
    return bytes;
  }
  void write(std::uint64_t offset, std::size_t bytes) {
    Batch batch;
    batch.patch("chunk", offset, std::string(bytes, 'p'));
    EXPECT_LE(locked_bytes_of(batch), kSmallBytes) << offset;
  }

  Failure failure_;
  PrefixFilter filter_{0};
  TableStack tables_{failure_, filter_, Node::make_empty(0), 0};
};

TEST_F(TableStackMemory, APatchThatGrowsIsPutTogetherElsewhere) {
  for (std::uint64_t at = 0; at < kValueBytes; at += 4096) write(at, 4096);
  const TreeView kept = tables_.snapshot();  // so the following changes must copy
  for (std::uint64_t at = 0; at < kValueBytes; at += 4096) write(at, 100);
  write(0, kValueBytes);
  EXPECT_LE(locked_bytes_of_lookup("chunk"), kSmallBytes);
  const auto newest = tables_.find("chunk").value();
  EXPECT_EQ(newest.message.patch.edits().front(), Edit(Piece{0, std::string(kValueBytes, 'p')}));
}

// Small values are changed in place, so that the path to them need not be copied.
TEST_F(TableStackMemory, SmallChangesAreMadeInPlace) {
  Batch batch;
  batch.change_field("counter", {0, FieldOperation::kAdd, 1});
  for (int i = 0; i < 100; ++i) {
    const FailingHeap heap(0);
    ASSERT_TRUE(tables_.take_in(batch, 0));
    EXPECT_LE(heap.allocated_bytes(), 1000U);
  }
}

// A batch is applied as a whole or not at all, also when its values are put together outside the
// lock.
TEST_F(TableStackMemory, ABatchThatLacksMemoryElsewhereHasNotHappened) {
  write(0, kValueBytes);
  Batch batch;
  batch.put("before", "value");
  batch.patch("chunk", 100, std::string(5000, 'q'));
  batch.put("behind", "value");
  std::uint64_t failed = 0;
  for (std::uint64_t call = 1;; ++call) {
    const FailingHeap heap(call);
    try {
      ASSERT_TRUE(tables_.take_in(batch, 0));
      break;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    if (!failure_.check_torn()) break;  // it failed under the lock: the store knows that it is torn
    EXPECT_TRUE(tables_.find("before").value().message.patch.empty());
    EXPECT_EQ(tables_.find("before").value().message.kind, MessageKind::kPatch);
    EXPECT_EQ(tables_.sequence(), 1U);
  }
  EXPECT_GE(failed, 3U);
  EXPECT_TRUE(failure_.check_torn());
}

}  // namespace
}  // namespace dgfs::test
