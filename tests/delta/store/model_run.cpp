// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/model_run.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <utility>

#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

constexpr int kSteps = 400;

void expect_gets(const Store& store, const Values& expected, Random& random,
                 const BatchShape& shape) {
  for (int i = 0; i < 5; ++i) {
    const auto key = random_key(random, shape);
    const auto found = store.get(key);
    ASSERT_TRUE(found) << found.error().message();
    const auto at = expected.find(key);
    ASSERT_EQ(found.value().has_value(), at != expected.end()) << key;
    if (at != expected.end()) {
      ASSERT_EQ(*found.value(), at->second) << key;
    }
  }
}

// Walks from some key on, a few steps in either direction.
void expect_walk(Cursor& cursor, const Values& expected, Random& random, const BatchShape& shape) {
  const auto key = random_key(random, shape);
  auto at = expected.lower_bound(key);
  if (random.one_in(2)) {
    ASSERT_TRUE(cursor.seek(key));
  } else {
    ASSERT_TRUE(cursor.seek_before(key));
    at = at == expected.begin() ? expected.end() : std::prev(at);
  }
  for (int step = 0; step < 20; ++step) {
    ASSERT_EQ(cursor.is_at_key(), at != expected.end()) << key;
    if (at == expected.end()) return;
    ASSERT_EQ(cursor.key(), at->first);
    const auto value = cursor.value();
    ASSERT_TRUE(value) << value.error().message();
    ASSERT_EQ(value.value(), at->second);
    if (random.one_in(3)) {
      ASSERT_TRUE(cursor.previous());
      at = at == expected.begin() ? expected.end() : std::prev(at);
    } else {
      ASSERT_TRUE(cursor.next());
      ++at;
    }
  }
}

// All keys, those with a prefix, or those between two keys.
KeyRange random_bounds(Random& random, const BatchShape& shape) {
  switch (random.below(3)) {
    case 0:
      return {"", std::nullopt};
    case 1: {
      const auto key = random_key(random, shape);
      return prefix_range(key.substr(0, random.below(key.size() + 1)));
    }
    default:
      return {random_key(random, shape), random_key(random, shape)};
  }
}

Values within(const KeyRange& bounds, Values values) {
  std::erase_if(values, [&](const auto& each) { return !bounds.contains(each.first); });
  return values;
}

// A store and its model, with cursors that give the values of the time when they were made.
class ModelRun {
 public:
  explicit ModelRun(std::uint64_t seed)
      : random_(seed),
        env_(storage::make_memory_env(1)),
        options_(tiny_options(random_)),
        store_(open_store(*env_, options_)) {
    shape_.keys = 20 + random_.below(400);
  }

  void take_step() {
    apply();
    if (random_.one_in(10)) {
      ASSERT_TRUE(store_->sync());
    }
    if (random_.one_in(15)) {
      ASSERT_TRUE(store_->maintain());
    }
    if (random_.one_in(40)) {
      ASSERT_TRUE(store_->checkpoint());
    }
    look_by_cursors();
    if (random_.one_in(100)) reopen();
  }
  void end() {
    EXPECT_EQ(values_of(*store_), model_.values());
    expect_sound(*env_);
  }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  void apply() {
    const auto batch = random_batch(random_, shape_);
    const auto applied = store_->apply(batch);
    ASSERT_TRUE(applied) << applied.error().message();
    operations_ += batch.operations().size();
    model_.apply(batch);
    expect_gets(*store_, model_.values(), random_, shape_);
  }
  void look_by_cursors() {
    if (random_.one_in(20)) {
      ASSERT_EQ(values_of(*store_), model_.values());
      const auto bounds = random_bounds(random_, shape_);
      cursors_.emplace_back(store_->cursor(bounds), within(bounds, model_.values()));
    }
    for (auto& [cursor, values] : cursors_) {
      if (random_.one_in(8)) expect_walk(cursor, values, random_, shape_);
    }
    if (cursors_.size() > 4) cursors_.pop_front();
  }
  void reopen() {
    ASSERT_TRUE(store_->sync());
    cursors_.clear();
    store_ = nullptr;
    store_ = open_store(*env_, options_);
  }

  Random random_;
  std::unique_ptr<storage::MemoryEnv> env_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  BatchShape shape_;
  StoreModel model_;
  std::list<std::pair<Cursor, Values>> cursors_;  // cursors end before the store
  std::uint64_t operations_ = 0;
};

}  // namespace

std::uint64_t expect_like_a_map(std::uint64_t seed) {
  ModelRun run(seed);
  for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) run.take_step();
  if (!testing::Test::HasFailure()) run.end();
  return run.operations();
}

}  // namespace dgfs::test
