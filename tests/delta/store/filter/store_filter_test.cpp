// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which objects a store may have: the filter never denies an object that was written to, whatever
// becomes of the store, and reads nothing from the storage.
#include <gtest/gtest.h>

#include <set>

#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/store/filter/let_through.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

StoreOptions filtered(StoreOptions options, std::uint64_t born_object) {
  options.parameters.born_object = born_object;
  options.filter_prefixes = 32;
  return options;
}

// Random work on objects of some classes, and the ranges that it touched.
class ObjectWork {
 public:
  explicit ObjectWork(std::uint64_t seed) : random_(seed), objects_(20 + random_.below(2000)) {}

  Random& random() { return random_; }
  [[nodiscard]] std::uint64_t object() { return random_.below(objects_); }
  [[nodiscard]] std::uint8_t object_class() { return static_cast<std::uint8_t>(random_.below(3)); }

  [[nodiscard]] Batch batch() {
    Batch batch;
    touched_.clear();
    for (auto left = 1 + random_.below(5); left > 0; --left) {
      const auto each = object_class();
      const auto first = object();
      const auto key = object_key(each, first, std::to_string(random_.below(20)));
      switch (random_.below(9)) {
        case 0:
          remove_range(batch, {object_key(each, first), object_key(each, first + 1)});
          break;
        case 1:
          if (random_.one_in(6)) {
            remove_range(batch, {object_key(each, first), object_key(each, first + 3)});
          }
          break;
        case 2:
          change(batch, key).remove(key);
          break;
        case 3:
          change(batch, key).patch(key, 3, "patch");
          break;
        default:
          change(batch, key).put(key, std::string(random_.below(60), 'v'));
      }
    }
    return batch;
  }
  /// Ranges that the last batch touched.
  [[nodiscard]] const std::vector<KeyRange>& touched() const { return touched_; }

 private:
  Batch& change(Batch& batch, const std::string& key) {
    touched_.push_back({key, key + '\0'});
    return batch;
  }
  void remove_range(Batch& batch, const KeyRange& range) {
    touched_.push_back(range);
    batch.remove_range(range);
  }

  Random random_;
  std::uint64_t objects_;
  std::vector<KeyRange> touched_;
};

class StoreFilter : public testing::TestWithParam<std::uint64_t> {
 protected:
  StoreFilter() : work_(GetParam()) {
    born_object_ = work_.random().one_in(2) ? UINT64_MAX : 1 + work_.random().below(1500);
    options_ = filtered(tiny_options(work_.random()), born_object_);
  }

  void apply(Store& store) {
    const auto batch = work_.batch();
    if (store.apply(batch)) {
      touched_.insert(touched_.end(), work_.touched().begin(), work_.touched().end());
    }
  }
  void step(Store& store) {
    apply(store);
    if (work_.random().one_in(10)) static_cast<void>(store.sync());
    if (work_.random().one_in(15)) static_cast<void>(store.maintain());
    if (work_.random().one_in(30)) static_cast<void>(store.checkpoint());
  }
  void expect_touched(const Store& store) {
    for (const auto& range : touched_) {
      ASSERT_TRUE(lets_through(store, range, born_object_)) << range.begin;
    }
  }
  /// The filter is of use: it denies some objects that never existed.
  void expect_denials(const Store& store) const {
    int denied = 0;
    for (std::uint64_t object = 0; object < 1000; ++object) {
      denied += store.may_have(200, object) ? 0 : 1;
    }
    const auto older = std::min<std::uint64_t>(born_object_, 1000);
    EXPECT_GE(denied, static_cast<int>(older * 9 / 10));
  }

  ObjectWork work_;
  std::uint64_t born_object_;
  StoreOptions options_;
  std::vector<KeyRange> touched_;
};

TEST_P(StoreFilter, LetsThroughWhatWasTouched) {
  const auto env = storage::make_memory_env(1);
  auto store = open_store(*env, options_);
  for (int i = 0; i < 600; ++i) {
    step(*store);
    if (work_.random().one_in(80)) {
      expect_touched(*store);
      ASSERT_TRUE(work_.random().one_in(2) ? store->close() : store->sync());
      store = nullptr;
      store = open_store(*env, options_);
    }
    if (HasFailure()) return;
  }
  expect_touched(*store);
  expect_let_through(*store, born_object_);
  expect_denials(*store);
  for (std::uint64_t object = 0; object < 100; ++object) {
    EXPECT_EQ(store->snapshot("test").may_have(1, object), store->may_have(1, object));
  }
  ASSERT_TRUE(store->close());
  store = nullptr;
  expect_sound(*env);
  options_.access = StoreAccess::kReadOnly;
  store = open_store(*env, options_);
  expect_touched(*store);
  expect_denials(*store);
}

// A read-only open keeps the log in memory.
TEST_P(StoreFilter, LetsThroughWhatTheLogHas) {
  const auto env = storage::make_memory_env(1);
  auto store = open_store(*env, options_);
  for (int i = 0; i < 60; ++i) apply(*store);
  ASSERT_TRUE(store->sync());
  const auto sequence = touched_.size();
  EXPECT_GT(sequence, 0U);
  store = nullptr;
  auto reading = options_;
  reading.access = StoreAccess::kReadOnly;
  store = open_store(*env, reading);
  expect_touched(*store);
  store = nullptr;
  store = open_store(*env, options_);
  expect_touched(*store);
  expect_let_through(*store, born_object_);
}

TEST_P(StoreFilter, LetsThroughWhatAStopLeaves) {
  const auto env = storage::make_memory_env(1);
  auto store = open_store(*env, options_);
  for (int stop = 0; stop < 12; ++stop) {
    for (auto left = work_.random().below(80); left > 0; --left) step(*store);
    store = nullptr;
    env->crash(storage::CrashLoss::kRandomSubset, work_.random().below(1000));
    store = open_store(*env, options_);
    expect_let_through(*store, born_object_);
    expect_sound(*env);
    if (HasFailure()) return;
  }
}

// Failed calls change nothing of what the filter lets through; a later checkpoint makes up for a
// failed one.
TEST_P(StoreFilter, OutlivesCallsThatFail) {
  const auto env = storage::make_memory_env(1);
  const auto faulty = storage::make_faulty_env(*env, GetParam());
  faulty->only_for([](const std::string& path) { return path == "/s/blocks"; });
  std::uint64_t failed = 0;
  for (std::uint64_t call = 1; call < 40; call += 1 + work_.random().below(4)) {
    auto store = open_store(*faulty, options_);
    for (int i = 0; i < 20; ++i) apply(*store);
    faulty->arm(
        {work_.random().one_in(2) ? storage::FaultKind::kNoSpace : storage::FaultKind::kIoError,
         call, true});
    for (int i = 0; i < 20; ++i) apply(*store);
    if (!store->checkpoint()) ++failed;
    faulty->arm({});
    expect_touched(*store);
    const auto done = store->checkpoint();  // unless a sync has failed
    if (done) expect_sound(*env);
    touched_.clear();
    store = nullptr;
    store = open_store(*env, options_);
    expect_let_through(*store, born_object_);
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 5U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreFilter, testing::Range<std::uint64_t>(0, 8));

TEST(StoreFilterCost, AskingReadsNothing) {
  const auto env = storage::make_memory_env(1);
  const auto counting = storage::make_counting_env(*env);
  Random random(1);
  const auto options = filtered(tiny_options(random), UINT64_MAX);
  auto store = open_store(*counting, options);
  for (std::uint64_t object = 0; object < 500; ++object) {
    Batch batch;
    batch.put(object_key(1, object * 2), "value");
    batch.remove_range({object_key(2, object), object_key(2, object + 5)});
    ASSERT_TRUE(store->apply(batch));
  }
  ASSERT_TRUE(store->close());
  store = nullptr;
  store = open_store(*counting, options);
  counting->reset();
  int yes = 0;
  for (std::uint64_t object = 0; object < 1000; ++object) {
    yes += store->may_have(1, object) ? 1 : 0;
    yes += store->may_have(2, object) ? 1 : 0;
  }
  EXPECT_GE(yes, 1004);
  EXPECT_LE(yes, 1024);
  for (const auto& [path, counts] : counting->all()) EXPECT_EQ(counts, storage::IoCounts()) << path;
}

TEST(StoreFilterCost, IsNothingWhereNothingLiesBelow) {
  const auto env = storage::make_memory_env(1);
  Random random(1);
  const auto options = filtered(tiny_options(random), 0);
  auto store = open_store(*env, options);
  for (std::uint64_t object = 0; object < 100; ++object) {
    Batch batch;
    batch.put(object_key(1, object), "value");
    ASSERT_TRUE(store->apply(batch));
  }
  ASSERT_TRUE(store->checkpoint());
  EXPECT_TRUE(store->may_have(1, 1000));
  store = nullptr;
  const auto report = check_store(*env, "/s").value();
  EXPECT_EQ(report.superblock.filter, Place());
  EXPECT_EQ(report.filter_bytes, 0U);
}

class StoreFilterOnAFullDisk : public testing::TestWithParam<std::size_t> {};

// Batches are refused before the filter runs out of space. A large stage is written anew, beside
// the old one. (A batch whose own checkpoint takes the reserve is no longer refused; then the table
// may let all through until there is space.)
TEST_P(StoreFilterOnAFullDisk, GetsIntoACheckpoint) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.parameters = {4096, 16384, 8, 1 << 18, 2048, UINT64_MAX};
  options.table_bytes = 32768;
  options.filter_prefixes = GetParam();
  options.level = 0;
  auto store = open_store(*env, options);
  env->set_capacity(std::uint64_t{2500} << 10);
  std::uint64_t object = 0;
  Result<std::uint64_t> applied = std::uint64_t{0};
  for (; applied; ++object) {
    Batch batch;
    batch.put(object_key(1, object * 7919 % 800000), std::string(object % 300, 'v'));
    applied = store->apply(batch);
    if (!applied || object % 100 != 99) continue;
    if (const auto made = store->checkpoint(); !made) applied = made.error();
  }
  EXPECT_EQ(applied.error().kind(), ErrorKind::kNoSpace) << applied.error().message();
  EXPECT_GT(object, 100U);
  const auto done = store->checkpoint();
  ASSERT_TRUE(done) << done.error().message();
  store = nullptr;
  expect_sound(*env);
  store = open_store(*env, options);
  for (std::uint64_t each = 0; each + 1 < object; ++each) {
    ASSERT_TRUE(store->may_have(1, each * 7919 % 800000));
  }
  EXPECT_FALSE(store->may_have(2, 1));
}

INSTANTIATE_TEST_SUITE_P(FirstStage, StoreFilterOnAFullDisk, testing::Values(256, 1 << 18));

Buffer content_of(storage::Env& env, const std::string& path) {
  const auto file = env.open(path).value();
  Buffer content(static_cast<std::size_t>(file->size().value()));
  EXPECT_TRUE(storage::read_exactly(*file, 0, content));
  return content;
}

// A store with some stages and ranges, and a log with changes that the tree lacks.
class StoreFilterDamage : public testing::Test {
 protected:
  StoreFilterDamage() {
    Random random(4);
    options_ = filtered(tiny_options(random), UINT64_MAX);
    options_.parameters.segment_bytes = 32768;
    auto store = open_store(*env_, options_);
    for (std::uint64_t object = 0; object < 150; ++object) {
      Batch batch;
      batch.put(object_key(1, object * 3), "value");
      if (object % 50 == 0) batch.remove_range({object_key(2, object), object_key(2, object + 9)});
      EXPECT_TRUE(store->apply(batch));
      if (object == 140) {
        EXPECT_TRUE(store->checkpoint());
      }
    }
    EXPECT_TRUE(store->sync());
    report_ = check_store(*env_, "/s").value();
    blocks_ = content_of(*env_, "/s/blocks");
  }

  void set_byte(std::uint64_t offset, std::uint8_t byte) {
    const auto file = env_->open("/s/blocks", {storage::OpenOptions::Mode::kReadWrite}).value();
    ASSERT_TRUE(file->write_at(offset, Buffer{byte}));
  }
  /// The findings of the check.
  std::vector<std::string> found() {
    std::vector<std::string> all;
    StoreCheckOptions options;
    options.damaged = [&](const Error& error) { all.push_back(error.message()); };
    EXPECT_TRUE(check_store(*env_, "/s", options));
    return all;
  }
  void expect_all(const Store& store) {
    for (std::uint64_t object = 0; object < 150; ++object) {
      ASSERT_TRUE(store.may_have(1, object * 3));
    }
    ASSERT_TRUE(store.may_have(2, 108));
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
  StoreReport report_;
  Buffer blocks_;
};

TEST_F(StoreFilterDamage, EachFlippedByteIsFoundAndNothingIsDenied) {
  const auto& filter = report_.superblock.filter;
  const BlockFile file(env_->open("/s/blocks").value());
  const auto table = read_filter_table(file, filter, OlderObjects(UINT64_MAX)).value();
  ASSERT_GE(table.stages.size(), 3U);
  ASSERT_EQ(table.ranges.size(), 3U);
  EXPECT_EQ(report_.filter_stages, table.stages.size());
  EXPECT_EQ(report_.filter_ranges, 3U);
  std::vector<Place> places{filter};
  for (const auto& stage : table.stages) places.push_back(stage.place);
  auto reading = options_;
  reading.access = StoreAccess::kReadOnly;
  for (const Place& place : places) {
    const auto where =
        "/s/blocks: blocks, offset " + std::to_string(place.offset_bytes) + ": a block is not";
    for (std::uint64_t at = place.offset_bytes; at < place.extent().end_bytes(); ++at) {
      const auto byte = blocks_[static_cast<std::size_t>(at)];
      set_byte(at, byte ^ static_cast<std::uint8_t>(1U << at % 8));
      const auto damage = found();
      ASSERT_EQ(damage.size(), 1U);
      ASSERT_TRUE(damage[0].starts_with(where)) << damage[0];
      const auto store = open_store(*env_, reading);
      expect_all(*store);
      ASSERT_TRUE(store->may_have(7, 7));
      set_byte(at, byte);
    }
  }
  EXPECT_EQ(found(), std::vector<std::string>());
}

// The mended filter lets all through for good, because its old contents are unknown.
TEST_F(StoreFilterDamage, IsMendedByLettingAllThrough) {
  set_byte(report_.superblock.filter.offset_bytes, 77);
  auto store = open_store(*env_, options_);  // makes a checkpoint, as the log has a change
  expect_all(*store);
  EXPECT_TRUE(store->may_have(7, 7));
  EXPECT_EQ(values_of(*store).size(), 150U);
  ASSERT_TRUE(store->close());
  store = nullptr;
  EXPECT_EQ(found(), std::vector<std::string>());
  store = open_store(*env_, options_);
  EXPECT_TRUE(store->may_have(7, 7));
  EXPECT_EQ(values_of(*store).size(), 150U);
}

// Without a space map, the store finds the filter's blocks by walking, as it finds those of the
// tree.
TEST_F(StoreFilterDamage, KeepsItsSpaceWhereTheTreeIsWalked) {
  const auto map = report_.superblock.space.blocks.offset_bytes;
  set_byte(map, blocks_[static_cast<std::size_t>(map)] ^ 1U);
  auto store = open_store(*env_, options_);
  for (int number = 0; number < 200; ++number) {
    Batch batch;
    batch.put("key" + std::to_string(number), std::string(100, 'x'));
    ASSERT_TRUE(store->apply(batch));
  }
  ASSERT_TRUE(store->close());
  store = nullptr;
  EXPECT_EQ(found(), std::vector<std::string>());
  store = open_store(*env_, options_);
  expect_all(*store);
  EXPECT_FALSE(store->may_have(7, 7));
}

// A hostile superblock: the filter lies where the tree is.
TEST_F(StoreFilterDamage, IsOneThatLiesOverTheTree) {
  const auto file = env_->open("/s/store", {storage::OpenOptions::Mode::kReadWrite}).value();
  auto superblock = read_superblock(*file).value();
  superblock.filter = superblock.root;
  ASSERT_TRUE(write_superblock(*file, superblock));
  EXPECT_FALSE(found().empty());
  auto store = open_store(*env_, options_);
  EXPECT_TRUE(store->may_have(7, 7));
  EXPECT_EQ(values_of(*store).size(), 150U);
  ASSERT_TRUE(store->close());
  store = nullptr;
  EXPECT_EQ(found(), std::vector<std::string>());
}

}  // namespace
}  // namespace dgfs::test
