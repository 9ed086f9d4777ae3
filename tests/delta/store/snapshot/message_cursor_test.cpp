// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The messages of a store over a lower layer, which is a map here. Both merged give the values that
// the operations make of the lower layer.
#include "delta/store/snapshot/message_cursor.h"

#include <gtest/gtest.h>

#include <map>

#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/snapshot/over_lower.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

class MessageCursorOver : public testing::TestWithParam<std::uint64_t> {
 protected:
  MessageCursorOver() {
    options_.parameters.born_object = UINT64_MAX;
    options_.parameters.inline_bytes = 1 << 20;
    store_ = open_store(*env_, options_);
    shape_.keys = 20 + random_.below(300);
    shape_.may_erase = false;
    for (std::uint64_t i = 0; i < shape_.keys; ++i) {
      if (random_.one_in(2)) lower_[random_key(random_, shape_)] = "lower";
    }
    model_ = StoreModel(lower_);
  }

  void apply() {
    const auto batch = random_batch(random_, shape_);
    ASSERT_TRUE(store_->apply(batch));
    model_.apply(batch);
    if (random_.one_in(15)) {
      ASSERT_TRUE(store_->maintain());
    }
    if (random_.one_in(40)) {
      ASSERT_TRUE(store_->checkpoint());
    }
  }

  KeyRange random_bounds() {
    if (random_.one_in(2)) return {"", std::nullopt};
    return {random_key(random_, shape_), random_key(random_, shape_)};
  }
  Values expected(const KeyRange& bounds) const {
    auto values = model_.values();
    std::erase_if(values, [&](const auto& each) { return !bounds.contains(each.first); });
    return values;
  }

  Values forward(const KeyRange& bounds) {
    return OverLower(store_->message_cursor(bounds), bounds, lower_).forward();
  }
  Values backward(const KeyRange& bounds) {
    return OverLower(store_->message_cursor(bounds), bounds, lower_).backward();
  }
  static KeyEnd place_of(const MessageCursor& cursor) {
    if (!cursor.is_at_place()) return std::nullopt;
    return std::string(cursor.key());
  }
  static void expect_moved(const Status& moved) { EXPECT_TRUE(moved) << moved.error().message(); }

  Random random_{GetParam()};
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_ = tiny_options(random_);
  std::unique_ptr<Store> store_;
  BatchShape shape_;
  Values lower_;
  StoreModel model_;
};

TEST_P(MessageCursorOver, GivesWhatTheOperationsMakeOfTheLowerLayer) {
  for (int step = 0; step < 300; ++step) {
    apply();
    if (!random_.one_in(10)) continue;
    const auto bounds = random_bounds();
    ASSERT_EQ(forward(bounds), expected(bounds)) << "step " << step;
    ASSERT_EQ(backward(bounds), expected(bounds)) << "step " << step;
  }
}

// A seek to a covered key stops at that key, also in the middle of a covered range.
TEST_P(MessageCursorOver, StandsAtACoveredKeyThatIsLookedFor) {
  Batch batch;
  batch.remove_range({"b", "m"});
  batch.put("f", "1");
  ASSERT_TRUE(store_->apply(batch));
  auto cursor = store_->message_cursor();
  for (const auto* key : {"b", "c", "f", "l"}) {
    expect_moved(cursor.seek(key));
    ASSERT_TRUE(cursor.is_at_place());
    EXPECT_EQ(cursor.key(), key);
    ASSERT_NE(cursor.covered_until(), nullptr);
    EXPECT_EQ(*cursor.covered_until(), KeyEnd("m"));
    EXPECT_EQ(cursor.message().has_value(), std::string_view(key) == "f");
  }
  expect_moved(cursor.seek("m"));
  EXPECT_FALSE(cursor.is_at_place());
  expect_moved(cursor.seek("a"));
  EXPECT_EQ(place_of(cursor), KeyEnd("b"));
}

// The same holds if that key is covered.
TEST_P(MessageCursorOver, StandsNowhereForAKeyBehindItsBounds) {
  Batch batch;
  batch.remove_range({"a", "z"});
  ASSERT_TRUE(store_->apply(batch));
  auto cursor = store_->message_cursor({"b", "f"});
  for (const auto* key : {"f", "g"}) {
    expect_moved(cursor.seek(key));
    EXPECT_FALSE(cursor.is_at_place());
  }
  expect_moved(cursor.seek("e"));
  EXPECT_TRUE(cursor.is_at_place());
}

INSTANTIATE_TEST_SUITE_P(Seeds, MessageCursorOver, testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace dgfs::test
