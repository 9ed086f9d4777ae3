// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The store reports how much space snapshots and cursors keep, and which of them.
#include <gtest/gtest.h>

#include <optional>

#include "tests/delta/store/counted_store.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

class HeldSpace : public CountedStore {
 protected:
  static constexpr int kKeys = 200;
  static constexpr std::size_t kValueBytes = 3000;

  HeldSpace() : CountedStore({}) {
    Random random(1);
    for (int i = 0; i < kKeys; ++i) {
      const auto value = random.bytes(i % 2 == 0 ? kValueBytes : kValueBytes / 2);
      put(i, std::string(value.begin(), value.end()));
    }
    EXPECT_TRUE(store_->checkpoint());
  }

  void remove_all() {
    Batch batch;
    batch.remove_range({"", std::nullopt});
    ASSERT_TRUE(store_->apply(batch));
    ASSERT_TRUE(store_->checkpoint());
  }
  [[nodiscard]] std::uint64_t held_bytes() const { return store_->counters().held_bytes; }
};

TEST_F(HeldSpace, IsToldWithWhoHoldsIt) {
  EXPECT_EQ(held_bytes(), 0U);
  EXPECT_EQ(store_->counters().holders, 0U);
  std::optional backup(store_->snapshot("backup"));
  const auto other = store_->snapshot("other");
  const auto used_bytes = store_->counters().used_bytes;
  remove_all();
  const auto counters = store_->counters();
  EXPECT_GE(counters.used_bytes, used_bytes);
  EXPECT_GT(counters.held_bytes, kKeys * kValueBytes / 2);
  EXPECT_LE(counters.held_bytes, used_bytes);
  EXPECT_EQ(counters.holders, 2U);
  EXPECT_EQ(store_->oldest_snapshot()->name, "backup");
  backup.reset();
  EXPECT_EQ(store_->counters().holders, 1U);
  EXPECT_EQ(store_->oldest_snapshot()->name, "other");
}

TEST_F(HeldSpace, IsWhatComesFreeWhenNobodyHoldsIt) {
  std::optional snapshot(store_->snapshot("test"));
  remove_all();
  const auto before = store_->counters();
  snapshot.reset();
  ASSERT_TRUE(store_->checkpoint());
  const auto after = store_->counters();
  EXPECT_EQ(after.held_bytes, 0U);
  EXPECT_EQ(before.used_bytes - before.held_bytes, after.used_bytes);
  reopen();
  EXPECT_EQ(after.used_bytes, store_->counters().used_bytes);
}

TEST_F(HeldSpace, IsToldWhereACursorHoldsItThatIsNotListed) {
  std::optional cursor(store_->cursor());
  remove_all();
  EXPECT_GT(held_bytes(), kKeys * kValueBytes / 2);
  EXPECT_EQ(store_->counters().holders, 0U);
  cursor.reset();
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(held_bytes(), 0U);
}

TEST_F(HeldSpace, IsNoneWhereAViewIsOfTheNewestTree) {
  remove_all();
  const auto snapshot = store_->snapshot("test");
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(held_bytes(), 0U);
}

}  // namespace
}  // namespace dgfs::test
