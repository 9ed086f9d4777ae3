// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stores over each other and over a bottom give the same answers as one map.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "delta/store/run/object_key.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"
#include "tests/delta/store/snapshot/over_lower.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

constexpr std::uint64_t kObjectsOfALayer = 12;

// A bottom, stores, and a model of their merged values.
class StackRun {
 public:
  explicit StackRun(std::uint64_t seed) : random_(seed), options_(tiny_options(random_)) {
    for (int i = 0; i < 120; ++i) bottom_[any_key()] = "bottom" + std::to_string(i);
    born_ = kObjectsOfALayer;
    values_ = below_ = bottom_;
    add_store();
  }

  // Closes the newest store and adds one; all objects so far are older than the new store.
  void add_store() {
    if (!stores_.empty()) {
      ASSERT_TRUE(stores_.back()->close());
      born_ += kObjectsOfALayer;
    }
    below_ = values_;
    auto options = options_;
    options.parameters.born_object = born_;
    open(stores_.size(), options);
  }
  // Opens all again, the older stores read-only.
  void reopen() {
    ASSERT_TRUE(stores_.back()->sync());
    const auto count = stores_.size();
    stores_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      auto options = options_;
      if (i + 1 != count) options.access = StoreAccess::kReadOnly;
      open(i, options);
    }
  }

  void take_step() {
    Batch batch;
    for (auto count = 1 + random_.below(4); count > 0; --count) add_operation(batch);
    ASSERT_TRUE(stores_.back()->apply(batch));
    StoreModel model(std::move(values_));
    model.apply(batch);
    values_ = model.values();
    if (random_.one_in(12)) {
      ASSERT_TRUE(stores_.back()->maintain());
    }
    if (random_.one_in(40)) {
      ASSERT_TRUE(stores_.back()->checkpoint());
    }
    if (random_.one_in(80)) reopen();
  }

  void expect_gets() {
    const auto stack = snapshot();
    for (int i = 0; i < 10; ++i) {
      const auto key = any_key();
      const auto found =
          stack.get(key, [this](std::string_view asked) { return at_bottom(asked); });
      ASSERT_TRUE(found) << found.error().message();
      const auto at = values_.find(key);
      ASSERT_EQ(found.value().has_value(), at != values_.end());
      if (at != values_.end()) {
        ASSERT_EQ(*found.value(), at->second);
      }
    }
  }
  // A part of a value has the bytes of the whole value, and zeros behind its end.
  void expect_parts() {
    const auto stack = snapshot();
    for (int i = 0; i < 10; ++i) {
      const auto key = any_key();
      const auto at = values_.find(key);
      std::string expected = at == values_.end() ? std::string() : at->second;
      expected.resize(expected.size() + 20, '\0');
      const auto begin = random_.one_in(2) ? 0 : random_.below(expected.size());
      const auto end =
          random_.one_in(2) ? expected.size() : begin + random_.below(expected.size() - begin);
      Buffer out(end - begin, 0xFF);
      const auto value = stack.value(key);
      ASSERT_TRUE(value) << value.error().message();
      const auto read = value.value().read(begin, out, [&](std::uint64_t from, MutableBytes bytes) {
        return fill_from_bottom(key, from, bytes);
      });
      if (!read && (begin != 0 || end != expected.size())) {
        ASSERT_EQ(read.error().code(), 7164) << "only a field that the part cuts may fail";
        continue;
      }
      ASSERT_TRUE(read) << read.error().message();
      ASSERT_EQ(as_text(out), std::string_view(expected).substr(begin, end - begin));
    }
  }
  void expect_walks() {
    const auto stack = snapshot();
    const auto bounds = random_bounds();
    auto expected = values_;
    std::erase_if(expected, [&](const auto& each) { return !bounds.contains(each.first); });
    ASSERT_EQ(OverLower(stack.cursor(bounds), bounds, bottom_).forward(), expected);
    ASSERT_EQ(OverLower(stack.cursor(bounds), bounds, bottom_).backward(), expected);
  }
  // A cursor that turns around visits the same places as one that does not, except for pieces of
  // covered ranges.
  void expect_turns() {
    const auto stack = snapshot();
    auto cursor = stack.cursor();
    ASSERT_TRUE(cursor.seek(any_key()));
    for (int i = 0; i < 12 && cursor.is_at_place(); ++i) {
      const auto key = std::string(cursor.key());
      expect_same_as_a_seek(stack, cursor);
      ASSERT_TRUE(random_.one_in(2) ? cursor.next() : cursor.previous());
      if (!cursor.is_at_place()) break;
      ASSERT_NE(cursor.key(), key);
    }
  }
  void expect_sound_stores() {
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      const auto report = check_store(*env_, "/s" + std::to_string(i));
      EXPECT_TRUE(report) << report.error().message();
    }
  }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] std::size_t stores() const { return stores_.size(); }

 private:
  void open(std::size_t number, const StoreOptions& options) {
    auto store = Store::open(*env_, "/s" + std::to_string(number), options);
    ASSERT_TRUE(store) << store.error().message();
    stores_.push_back(std::move(store).value());
  }
  // A key of an object that some layer may have.
  std::string any_key() {
    const auto object = random_.below(born_ + kObjectsOfALayer);
    return object_key(static_cast<std::uint8_t>(1 + random_.below(2)), object,
                      std::string(random_.below(3), static_cast<char>('a' + random_.below(3))));
  }
  Status fill_from_bottom(std::string_view key, std::uint64_t begin, MutableBytes out) const {
    DGFS_TRY(found, at_bottom(key));
    std::string bytes = found.value_or("");
    bytes.resize(std::max<std::size_t>(bytes.size(), begin + out.size()), '\0');
    bytes.copy(reinterpret_cast<char*>(out.data()), out.size(), begin);
    return ok();
  }
  Result<std::optional<std::string>> at_bottom(std::string_view key) const {
    EXPECT_FALSE(is_young(key, kObjectsOfALayer))
        << "the stack asked the bottom for a young object";
    const auto at = bottom_.find(std::string(key));
    return at == bottom_.end() ? std::nullopt : std::optional(at->second);
  }
  // A range of one object, or between any two keys.
  KeyRange random_range() {
    const auto key = any_key();
    if (random_.one_in(2)) return prefix_range(key.substr(0, kObjectKeyBytes));
    if (random_.one_in(20)) return {key, std::nullopt};
    return {key, any_key()};
  }
  KeyRange random_bounds() {
    return random_.one_in(2) ? KeyRange{"", std::nullopt} : random_range();
  }
  void add_operation(Batch& batch) {
    const auto key = any_key();
    switch (random_.below(9)) {
      case 0:
        batch.remove_range(random_range());
        break;
      case 1:
      case 2:
        // The caller knows whether a layer below has the key, and uses erase() if none has it.
        below_.contains(key) ? batch.remove(key) : batch.erase(key);
        break;
      case 3:
        batch.remove(key);
        break;
      case 4:
        batch.patch(key, random_.below(20), "patch");
        break;
      case 5:
        batch.zero(key, random_.below(20), 1 + random_.below(9));
        break;
      case 6:
        batch.change_field(key, {random_.below(9), random_operation(random_), random_.below(99)});
        break;
      default:
        batch.put(key, std::string(random_.below(60), static_cast<char>('A' + random_.below(26))));
    }
  }
  StackSnapshot snapshot() const {
    std::vector<Snapshot> stores;
    for (const auto& store : stores_) stores.push_back(store->snapshot("a test"));
    return StackSnapshot(std::move(stores));
  }
  void expect_same_as_a_seek(const StackSnapshot& stack, const StackCursor& cursor) {
    auto other = stack.cursor();
    ASSERT_TRUE(other.seek(cursor.key()));
    ASSERT_TRUE(other.is_at_place());
    ASSERT_EQ(other.key(), cursor.key());
    ASSERT_EQ(message_at(other), message_at(cursor));
    const auto* until = cursor.covered_until();
    ASSERT_EQ(other.covered_until() == nullptr, until == nullptr);
  }

  Random random_;
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
  std::uint64_t born_ = 0;  ///< objects from this number on belong to the newest store alone
  Values bottom_;
  Values values_;
  Values below_;  ///< merged values of all but the newest store
  std::vector<std::unique_ptr<Store>> stores_;
};

class StackModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StackModel, AnswersAsAMap) {
  StackRun run(GetParam());
  for (int step = 0; step < 500; ++step) {
    run.take_step();
    if (run.random().one_in(5)) run.expect_gets();
    if (run.random().one_in(5)) run.expect_parts();
    if (run.random().one_in(12)) run.expect_walks();
    if (run.random().one_in(12)) run.expect_turns();
    if (run.random().one_in(150) && run.stores() < 4) run.add_store();
    ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step;
  }
  run.expect_sound_stores();
}

INSTANTIATE_TEST_SUITE_P(Seeds, StackModel, testing::Range<std::uint64_t>(0, 24));

// Two stores over a bottom, made by hand.
class StackOfTwo : public testing::Test {
 protected:
  StackOfTwo() {
    for (std::uint64_t i = 0; i < 2; ++i) {
      StoreOptions options;
      options.create = true;
      options.parameters.born_object = 100 * (i + 1);
      options.parameters.basement_bytes = 2048;
      options.cache_bytes = 0;
      stores_.push_back(std::move(Store::open(*env_, "/s" + std::to_string(i), options)).value());
    }
  }
  Store& older() { return *stores_[0]; }
  Store& newer() { return *stores_[1]; }
  StackSnapshot snapshot() {
    return StackSnapshot({older().snapshot("a test"), newer().snapshot("a test")});
  }
  void apply(Store& store, const Batch& batch) { ASSERT_TRUE(store.apply(batch)); }
  std::uint64_t points_of(std::size_t store) {
    EXPECT_TRUE(stores_[store]->checkpoint());
    const auto report = check_store(*env_, "/s" + std::to_string(store));
    EXPECT_TRUE(report) << report.error().message();
    return report.value().basement_points + report.value().waiting_points +
           report.value().waiting_tombstones;
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::CountingEnv> env_ = storage::make_counting_env(*memory_);
  std::vector<std::unique_ptr<Store>> stores_;
};

TEST_F(StackOfTwo, ASnapshotStaysAsItWas) {
  Batch batch;
  batch.put(object_key(1, 5), "before");
  apply(older(), batch);
  const auto stack = snapshot();
  Batch later;
  later.put(object_key(1, 5), "after");
  later.remove_range({"", std::nullopt});
  apply(newer(), later);
  const auto nothing = [](std::string_view) {
    return Result<std::optional<std::string>>(std::nullopt);
  };
  EXPECT_EQ(stack.get(object_key(1, 5), nothing).value(), "before");
  EXPECT_EQ(snapshot().get(object_key(1, 5), nothing).value(), std::nullopt);
}

// The stack does not ask the bottom and older stores for objects younger than they are.
TEST_F(StackOfTwo, AsksNoLayerForWhatWasBornAbove) {
  const auto stack = snapshot();
  int asked = 0;
  const auto bottom = [&](std::string_view) -> Result<std::optional<std::string>> {
    ++asked;
    return std::optional<std::string>("bottom");
  };
  EXPECT_EQ(stack.get(object_key(1, 99), bottom).value(), "bottom");
  EXPECT_EQ(stack.get(object_key(1, 100), bottom).value(), std::nullopt);
  EXPECT_EQ(stack.get(object_key(1, 200), bottom).value(), std::nullopt);
  EXPECT_EQ(asked, 1);
}

// The store keeps removals of names in older directories, as something may lie below. All else that
// dies leaves only the messages that wait for the lowest level.
TEST_F(StackOfTwo, DeadShortLivedNamesLeaveNothing) {
  for (int i = 0; i < 2000; ++i) {
    const auto name = std::to_string(i);
    Batch made;
    made.put(object_key(1, 5, "new" + name), "x");  // a new name in an older directory
    made.put(object_key(1, 300, name), "x");        // a name in a directory of this store
    made.patch(object_key(2, 300 + 1, name), 0, "x");
    apply(newer(), made);
    if (i % 100 == 0) {
      ASSERT_TRUE(newer().checkpoint());
    }
    Batch gone;
    gone.erase(object_key(1, 5, "new" + name));
    gone.remove(object_key(1, 300, name));
    gone.remove_range(prefix_range(object_key(2, 300 + 1, name)));
    apply(newer(), gone);
  }
  EXPECT_LT(points_of(1), 100U);
  Batch removal;
  for (int i = 0; i < 2000; ++i) removal.remove(object_key(1, 5, "old" + std::to_string(i)));
  apply(newer(), removal);
  EXPECT_GE(points_of(1), 2000U);
}

// The carry of the addition comes from bytes that a later piece replaces.
TEST_F(StackOfTwo, AFieldIsChangedBeforeAPartOfItIsReplaced) {
  const auto key = object_key(1, 5, "field");
  Batch batch;
  batch.change_field(key, {0, FieldOperation::kAdd, 1});
  batch.patch(key, 0, "abcd");
  apply(newer(), batch);
  const auto stack = snapshot();
  const auto value = stack.value(key);
  ASSERT_TRUE(value);
  Buffer out(8, 0xEE);
  ASSERT_TRUE(value.value().read(0, out, [](std::uint64_t begin, MutableBytes bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = begin + i < 4 ? 0xFF : 0;
    return ok();
  }));
  EXPECT_EQ(out, (Buffer{'a', 'b', 'c', 'd', 1, 0, 0, 0}));
}

// A walk skips a range that a newer store covers, without reading what lies below.
TEST_F(StackOfTwo, AWalkSeeksPastWhatIsCovered) {
  Batch names;
  for (int i = 0; i < 5000; ++i) names.put(object_key(1, 5, std::to_string(i)), "x");
  names.put(object_key(1, 6), "y");
  apply(older(), names);
  Batch removal;
  removal.remove_range(prefix_range(object_key(1, 5)));
  apply(newer(), removal);
  ASSERT_TRUE(older().checkpoint());
  for (const bool backward : {false, true}) {
    env_->reset();
    auto cursor = snapshot().cursor();
    ASSERT_TRUE(backward ? cursor.seek_before(std::nullopt) : cursor.seek(""));
    int places = 0;
    for (; cursor.is_at_place(); ++places) {
      ASSERT_TRUE(backward ? cursor.previous() : cursor.next());
    }
    EXPECT_LE(places, 3) << backward;
    // The tree has more than a hundred basements.
    EXPECT_LE(env_->counts("/s0/blocks").reads, 20U) << backward;
  }
}

}  // namespace
}  // namespace dgfs::test
