// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cursors that walk in basements of many keys with newer runs over them. Cursors read slices of
// these, small ones at first.
#include <gtest/gtest.h>

#include <iterator>

#include "storage/memory/env.h"
#include "tests/delta/store/counted_store.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

class CursorWalk : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.create = true;
    options.parameters.segment_bytes = std::uint64_t{1} << 20;
    if (GetParam() % 2 == 0) {  // nothing stays in memory, so that slices are made of pages
      options.cache_bytes = 0;
      options.dirty_bytes = 0;
    }
    store_ = open_store(*disk_, options);
    for (int number = 0; number < kKeys; number += 1 + static_cast<int>(random_.below(3))) {
      put(number, "old");
    }
    ASSERT_TRUE(store_->checkpoint());
    for (int change = 0; change < kKeys / 4; ++change) {
      if (random_.one_in(50)) remove_range();
      const auto number = static_cast<int>(random_.below(kKeys));
      if (random_.one_in(3)) {
        remove(number);
      } else {
        put(number, std::to_string(change));
      }
      if (random_.one_in(200)) {
        ASSERT_TRUE(store_->maintain());
      }
    }
  }

  void put(int number, const std::string& value) {
    Batch batch;
    batch.put(numbered_key(number), value);
    ASSERT_TRUE(store_->apply(batch));
    values_[numbered_key(number)] = value;
  }
  void remove(int number) {
    Batch batch;
    batch.remove(numbered_key(number));
    ASSERT_TRUE(store_->apply(batch));
    values_.erase(numbered_key(number));
  }
  void remove_range() {
    const auto begin = static_cast<int>(random_.below(kKeys));
    const KeyRange range{numbered_key(begin), numbered_key(begin + 40)};
    Batch batch;
    batch.remove_range(range);
    ASSERT_TRUE(store_->apply(batch));
    std::erase_if(values_, [&](const auto& each) { return range.contains(each.first); });
  }

  static constexpr int kKeys = 4000;

  Random random_{GetParam()};
  std::unique_ptr<storage::MemoryEnv> disk_ = storage::make_memory_env(1);
  std::unique_ptr<Store> store_;
  Values values_;
};

TEST_P(CursorWalk, IsThatOfAMap) {
  auto cursor = store_->cursor();
  for (int walk = 0; walk < 60; ++walk) {
    const auto begin = numbered_key(static_cast<int>(random_.below(kKeys)));
    const bool forward = random_.one_in(2);
    auto at = values_.lower_bound(begin);
    if (forward) {
      ASSERT_TRUE(cursor.seek(begin));
    } else {
      ASSERT_TRUE(cursor.seek_before(begin));
      at = at == values_.begin() ? values_.end() : std::prev(at);
    }
    // Mostly on in one direction, sometimes back.
    for (int step = 0; step < 300; ++step) {
      ASSERT_EQ(cursor.is_at_key(), at != values_.end());
      if (at == values_.end()) break;
      ASSERT_EQ(cursor.key(), at->first);
      ASSERT_EQ(cursor.value().value(), at->second);
      if (forward != random_.one_in(20)) {
        ASSERT_TRUE(cursor.next());
        ++at;
      } else {
        ASSERT_TRUE(cursor.previous());
        at = at == values_.begin() ? values_.end() : std::prev(at);
      }
    }
  }
}

TEST_P(CursorWalk, SeesAllKeysEitherWay) {
  EXPECT_EQ(values_of(*store_), values_);
  Values seen;
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek_before(std::nullopt));
  while (cursor.is_at_key()) {
    seen.emplace(cursor.key(), cursor.value().value());
    ASSERT_TRUE(cursor.previous());
  }
  EXPECT_EQ(seen, values_);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CursorWalk, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace dgfs::test
