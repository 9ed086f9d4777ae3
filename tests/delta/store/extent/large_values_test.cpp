// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Large values: when they are written, how often, and when their space is free. The test counts
// calls at the storage.
#include <gtest/gtest.h>

#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kValueBytes = std::size_t{32} << 10;

std::string value_of(int number, std::size_t bytes = kValueBytes) {
  std::string value(bytes, static_cast<char>('a' + number % 26));
  value += std::to_string(number);
  return value;
}

class LargeValues : public CountedStore {
 protected:
  LargeValues() : CountedStore({4096, 8192, 8, 1 << 20, 4096}) {}

  void put_many(int count) {
    for (int i = 0; i < count; ++i) put(i, value_of(i));
  }
  void expect_value(int number, const std::string& expected) {
    const auto found = store_->get(numbered_key(number));
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_TRUE(found.value());
    EXPECT_TRUE(*found.value() == expected) << numbered_key(number);
  }
  void checkpoint_twice() {  // the first one keeps the space that the older state may need
    for (int i = 0; i < 2; ++i) {
      put(9999, std::to_string(i));
      ASSERT_TRUE(store_->checkpoint());
    }
  }
  [[nodiscard]] std::uint64_t written_bytes() const {
    std::uint64_t bytes = 0;
    for (const char* name : {"store", "log.0", "log.1", "blocks", "extents"}) {
      bytes += counts(name).written_bytes;
    }
    return bytes;
  }
  [[nodiscard]] storage::IoCounts extents() const { return counts("extents"); }
};

TEST_F(LargeValues, AreWrittenOnce) {
  constexpr int kCount = 200;
  put_many(kCount);
  ASSERT_TRUE(store_->checkpoint());
  checkpoint_twice();
  EXPECT_LE(static_cast<double>(written_bytes()), 1.05 * kCount * kValueBytes);
  EXPECT_GE(extents().written_bytes, kCount * kValueBytes);
  for (int i = 0; i < kCount; ++i) expect_value(i, value_of(i));
}

TEST_F(LargeValues, ThatCannotBeCompressedAreWrittenOnce) {
  constexpr int kCount = 200;
  Random random(1);
  std::vector<std::string> values;
  for (int i = 0; i < kCount; ++i) {
    const auto bytes = random.bytes(kValueBytes + random.below(512));
    values.emplace_back(bytes.begin(), bytes.end());
    put(i, values.back());
  }
  ASSERT_TRUE(store_->checkpoint());
  checkpoint_twice();
  EXPECT_LE(static_cast<double>(written_bytes()), 1.05 * kCount * kValueBytes);
  for (int i = 0; i < kCount; ++i) expect_value(i, values[static_cast<std::size_t>(i)]);
}

// Without a sync, values are bound, and their group is logged, once they reach the size of a table.
TEST_F(LargeValues, AreBoundWhenTheyComeToATable) {
  options_.table_bytes = std::size_t{512} << 10;
  reopen();
  std::uint64_t unbound = 0;
  for (int i = 0; extents().written_bytes == 0; ++i) {
    ASSERT_LE(unbound, options_.table_bytes);
    put(i, value_of(i));
    unbound += kValueBytes;
  }
  EXPECT_GE(unbound, options_.table_bytes);
  EXPECT_EQ(logged_bytes(), 4096U);
}

// The same holds for values whose table was frozen when they died.
TEST_F(LargeValues, OfALongRangeDeleteAreNeverWritten) {
  for (int i = 0; i < 300; ++i) put(i, value_of(i, 5000));
  Batch batch;
  batch.remove_range({numbered_key(1), numbered_key(300)});
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_GT(store_->counters().tables, 0U);
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(extents().written_bytes, value_of(0, 5000).size());
  expect_value(0, value_of(0, 5000));
}

// They are never bound.
TEST_F(LargeValues, ThatDieBeforeTheirGroupIsLoggedAreNeverWritten) {
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 10; ++i) put(i, value_of(i + round));
  }
  Batch batch;
  batch.remove_range({numbered_key(3), numbered_key(8)});
  batch.remove(numbered_key(9));
  ASSERT_TRUE(store_->apply(batch));
  EXPECT_EQ(extents().written_bytes, 0U);
  ASSERT_TRUE(store_->sync());
  std::uint64_t expected = 0;
  for (const int i : {0, 1, 2, 8}) expected += value_of(i + 4).size();
  EXPECT_GE(extents().written_bytes, expected);
  EXPECT_LE(extents().written_bytes, expected + 3 * kBlockAlignmentBytes);  // the gaps between them
}

TEST_F(LargeValues, OfOneGroupAreWrittenTogether) {
  constexpr int kCount = 20;
  put_many(kCount);
  ASSERT_TRUE(store_->sync());
  EXPECT_LE(extents().writes, 7U);  // three values to a write of 128 KiB
  reopen();
  for (int i = 0; i < kCount; ++i) expect_value(i, value_of(i));
}

// A checkpoint frees their space, though the log alone would not ask for one.
TEST_F(LargeValues, ThatDieAfterTheirGroupWasLoggedMakeRoomBeforeTheLogIsFull) {
  options_.table_bytes = std::size_t{256} << 10;
  reopen();
  for (int round = 0; round < 40; ++round) {
    put_many(10);
    ASSERT_TRUE(store_->sync());
  }
  EXPECT_LT(logged_bytes(), options_.parameters.segment_bytes / 2);
  EXPECT_GT(store_->counters().checkpoints, 0U);
  EXPECT_LE(size_bytes("extents"), 3 * 8 * options_.table_bytes);
  for (int i = 0; i < 10; ++i) expect_value(i, value_of(i));
}

TEST_F(LargeValues, AreInTheLogByTheirPlaceAlone) {
  put_many(20);
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(logged_bytes(), 4096U);
  reopen();  // recovers from the log
  for (int i = 0; i < 20; ++i) expect_value(i, value_of(i));
  // If recovery missed an extent in use, these values would overwrite it.
  for (int i = 20; i < 40; ++i) put(i, value_of(i));
  ASSERT_TRUE(store_->sync());
  reopen();
  for (int i = 0; i < 40; ++i) expect_value(i, value_of(i));
}

TEST_F(LargeValues, AreChangedWithoutBeingRead) {
  put_many(50);
  ASSERT_TRUE(store_->checkpoint());
  env_->reset();
  for (int i = 0; i < 50; ++i) {
    Batch batch;
    batch.patch(numbered_key(i), 100, "four");
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(extents().reads, 0U);
  EXPECT_EQ(extents().written_bytes, 0U);
  for (int i = 0; i < 50; ++i) expect_value(i, value_of(i).replace(100, 4, "four"));
}

// Otherwise each read of the value would also read the small pieces.
TEST_F(LargeValues, OfWhichMoreThanHalfHasChangedAreWrittenAnew) {
  put_many(3);
  ASSERT_TRUE(store_->checkpoint());
  env_->reset();
  auto expected = value_of(1);
  Batch batch;
  const std::string piece(4000, 'P');
  for (std::size_t at = 10; at + 5000 < expected.size(); at += 5000) {
    batch.patch(numbered_key(1), at, piece);
    expected.replace(at, piece.size(), piece);
  }
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(extents().written_bytes, expected.size());
  expect_value(1, expected);
  reopen();
  expect_value(1, expected);
}

TEST_F(LargeValues, ThatPatchesHaveMadeLeaveTheTree) {
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    const std::string bytes(1000, static_cast<char>('a' + i % 26));
    Batch batch;
    batch.patch(numbered_key(0), expected.size(), bytes);
    ASSERT_TRUE(store_->apply(batch));
    expected += bytes;
    if (i % 10 == 9) {
      ASSERT_TRUE(store_->checkpoint());
    }
  }
  EXPECT_GT(extents().written_bytes, 0U);
  expect_value(0, expected);
  checkpoint_twice();
  EXPECT_LT(report().used_bytes, expected.size() / 2);
}

TEST_F(LargeValues, GiveTheirSpaceBackWhenTheyAreOverwritten) {
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 5; ++i) put(i, value_of(i + round));
    ASSERT_TRUE(round % 2 == 0 ? store_->sync() : store_->checkpoint());
  }
  EXPECT_LE(size_bytes("extents"), 30 * kValueBytes);
  for (int i = 0; i < 5; ++i) expect_value(i, value_of(i + 39));
}

TEST_F(LargeValues, GoUnreadWithARangeThatIsDeleted) {
  options_.spare_bytes = std::size_t{1} << 30;  // the store moves nothing
  reopen();
  put_many(300);
  ASSERT_TRUE(store_->checkpoint());
  reopen();
  Batch batch;
  batch.remove_range({numbered_key(10), numbered_key(290)});
  ASSERT_TRUE(store_->apply(batch));
  checkpoint_twice();
  EXPECT_EQ(extents().reads, 0U);
  // New values reuse their space.
  for (int i = 300; i < 550; ++i) put(i, value_of(i));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(size_bytes("extents"), 310 * (kValueBytes + 512));
  for (const int i : {0, 9, 290, 299, 300, 549}) expect_value(i, value_of(i));
}

TEST_F(LargeValues, GiveTheEndOfTheirFileBackToTheDisk) {
  put_many(600);
  ASSERT_TRUE(store_->checkpoint());
  const auto before = size_bytes("extents");
  Batch batch;
  batch.remove_range({numbered_key(20), std::nullopt});
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(size_bytes("extents"), before / 10);
  for (int i = 0; i < 20; ++i) expect_value(i, value_of(i));
  put_many(600);
  ASSERT_TRUE(store_->checkpoint());
  for (int i = 0; i < 600; ++i) expect_value(i, value_of(i));
  reopen();
  for (int i = 0; i < 600; ++i) expect_value(i, value_of(i));
}

// A cursor gives the values of its beginning, whatever becomes of them later.
TEST_F(LargeValues, StayAsLongAsACursorMaySeeThem) {
  put_many(5);
  ASSERT_TRUE(store_->checkpoint());
  put(2, value_of(20));
  auto cursor = std::make_unique<Cursor>(store_->cursor());
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 5; ++i) put(i, value_of(i + 100 + round));
    ASSERT_TRUE(store_->checkpoint());
  }
  ASSERT_TRUE(cursor->seek(""));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(cursor->is_at_key());
    const auto value = cursor->value();
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_TRUE(value.value() == value_of(i == 2 ? 20 : i)) << i;
    ASSERT_TRUE(cursor->next());
  }
}

// Large values in a store whose cache holds its whole tree.
class KeptLargeValues : public LargeValues {
 protected:
  static constexpr int kCount = 100;

  KeptLargeValues() {
    options_.cache_bytes = kKept * 8 * (kValueBytes + 2);
    put_many(kCount);
    EXPECT_TRUE(store_->checkpoint());
    reopen();
  }
  [[nodiscard]] std::uint64_t reads_of(int begin, int end) {
    const auto before = extents().reads;
    for (int i = begin; i < end; ++i) expect_value(i, value_of(i));
    return extents().reads - before;
  }

  static constexpr int kKept = 20;  // the maximum
};

TEST_F(KeptLargeValues, AreThoseThatWereReadTwice) {
  EXPECT_EQ(reads_of(0, 10), 10U);
  EXPECT_EQ(reads_of(0, 10), 10U);
  EXPECT_EQ(reads_of(0, 10), 0U);
  EXPECT_EQ(reads_of(10, kCount), kCount - 10U);
  EXPECT_EQ(reads_of(0, 10), 0U);
}

TEST_F(KeptLargeValues, MakeRoomForOthersOfTheirKind) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reads_of(0, kCount), 1U * kCount);
  EXPECT_EQ(reads_of(kCount - kKept, kCount), 0U);
  EXPECT_EQ(reads_of(0, kCount - kKept), 1U * kCount - kKept);
}

TEST_F(KeptLargeValues, AreThoseOfTheirCursor) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reads_of(0, 2), i < 2 ? 2U : 0U);
  auto before = store_->cursor();
  put(0, value_of(1));
  put(1, value_of(0));
  ASSERT_TRUE(store_->checkpoint());
  for (int i = 0; i < 3; ++i) {
    expect_value(0, value_of(1));
    expect_value(1, value_of(0));
    ASSERT_TRUE(before.seek(""));
    EXPECT_TRUE(before.value().value() == value_of(0));
    ASSERT_TRUE(before.next());
    EXPECT_TRUE(before.value().value() == value_of(1));
  }
}

}  // namespace
}  // namespace dgfs::test
