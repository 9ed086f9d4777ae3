// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tests the store that a loader writes, the cost of that, and large values in joins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "delta/store/run/object_key.h"
#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"
#include "tests/delta/store/join/sealed_stack.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kBorn = 1'000'000;

std::string number_key(std::uint64_t number) { return object_key(1, number, "x"); }

StoreOptions small_options() {
  StoreOptions options;
  options.parameters.born_object = kBorn;
  options.parameters.basement_bytes = 2048;
  options.parameters.fanout = 4;
  options.parameters.segment_bytes = 1 << 20;
  options.parameters.inline_bytes = 512;
  options.cache_bytes = 0;
  options.level = 0;
  return options;
}

class LayerLoaderTest : public testing::Test {
 protected:
  LoadRequest request() {
    LoadRequest made;
    made.parameters = small_options().parameters;
    made.sequence = 77;
    made.mark.state.fill(1);
    made.mark.parent.fill(2);
    return made;
  }
  std::unique_ptr<LayerLoader> begin(const LoadRequest& request) {
    auto begun = LayerLoader::begin(*env_, "/s", request);
    EXPECT_TRUE(begun) << begun.error().message();
    return begun ? std::move(begun).value() : nullptr;
  }
  std::unique_ptr<Store> opened() {
    StoreOptions options;
    options.access = StoreAccess::kReadOnly;
    auto store = Store::open(*env_, "/s", options);
    EXPECT_TRUE(store) << store.error().message();
    return store ? std::move(store).value() : nullptr;
  }
  std::string text(std::size_t bytes) {
    const auto made = random_.bytes(bytes);
    return {made.begin(), made.end()};
  }
  std::string whole_value(const SealedStack& stack, const std::string& key) {
    const auto value = stack.snapshot().get(
        key, [](std::string_view) { return Result<std::optional<std::string>>(std::nullopt); });
    EXPECT_TRUE(value) << value.error().message();
    return value && value.value() ? *value.value() : "none";
  }

  Random random_{1};
  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::CountingEnv> env_ = storage::make_counting_env(*memory_);
};

TEST_F(LayerLoaderTest, MakesASealedStore) {
  const auto loader = begin(request());
  ASSERT_TRUE(loader->add(number_key(1), Message::put("one")));
  const auto loaded = loader->finish();
  ASSERT_TRUE(loaded) << loaded.error().message();
  const auto superblock = read_store_superblock(*env_, "/s");
  ASSERT_TRUE(superblock);
  EXPECT_EQ(superblock.value().store, loaded.value().uuid);
  EXPECT_EQ(superblock.value().sequence, 77U);
  EXPECT_EQ(superblock.value().sealed, request().mark);
  EXPECT_FALSE(has_log(*env_, "/s"));
  EXPECT_EQ(read_origin(*env_, "/s", superblock.value()).value(), Origin::kOwn);
  const auto store = opened();
  EXPECT_EQ(store->get(number_key(1)).value(), "one");
  EXPECT_EQ(store->sequence(), 77U);
  StoreOptions to_write;
  EXPECT_EQ(Store::open(*env_, "/s", to_write).error().kind(), ErrorKind::kBusy) << "shared";
}

TEST_F(LayerLoaderTest, MakesATreeOfAnyHeight) {
  unsigned height = 0;
  for (const std::uint64_t count : {0U, 1U, 30U, 120U, 130U, 500U, 2000U, 9000U}) {
    const auto loader = begin(request());
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_TRUE(loader->add(number_key(i), Message::put(std::to_string(i))));
    }
    ASSERT_TRUE(loader->finish());
    const auto report = check_store(*env_, "/s");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report.value().basement_points, count);
    EXPECT_EQ(report.value().waiting_points, 0U);
    EXPECT_EQ(report.value().filter_prefixes, count);
    EXPECT_GE(report.value().height, height);
    height = report.value().height;
    const auto store = opened();
    for (std::uint64_t i = 0; i < count; i += 1 + count / 50) {
      ASSERT_EQ(store->get(number_key(i)).value(), std::to_string(i));
    }
    EXPECT_EQ(store->get(number_key(count)).value(), std::nullopt);
    EXPECT_FALSE(store->may_have(2, 5));
  }
  EXPECT_GE(height, 3U);
}

// A range tombstone that crosses basements is cut; one between two points is not.
TEST_F(LayerLoaderTest, RangesCrossBasements) {
  const auto loader = begin(request());
  ASSERT_TRUE(loader->cover({number_key(10), number_key(900)}));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    if (i >= 10 && i % 2 != 0) ASSERT_TRUE(loader->cover({number_key(i), number_key(i + 1)}));
    ASSERT_TRUE(loader->add(number_key(i), Message::put("v")));
  }
  ASSERT_TRUE(loader->cover({number_key(5000), std::nullopt}));
  ASSERT_TRUE(loader->finish());
  const auto report = check_store(*env_, "/s");
  ASSERT_TRUE(report) << report.error().message();
  const auto store = opened();
  const auto is_covered = [&](std::uint64_t number) {
    return store->find(object_key(1, number, "y")).value().kind == MessageKind::kDelete;
  };
  EXPECT_FALSE(is_covered(9));
  EXPECT_TRUE(is_covered(10));
  EXPECT_TRUE(is_covered(500));
  EXPECT_TRUE(is_covered(898));
  EXPECT_FALSE(is_covered(900));
  EXPECT_TRUE(is_covered(6000));
  EXPECT_FALSE(is_covered(kBorn)) << "nothing lies below it";
}

TEST_F(LayerLoaderTest, WritesEachBlockOnceAndInOrder) {
  const auto loader = begin(request());
  env_->reset();
  for (std::uint64_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(loader->add(number_key(i), Message::put(text(20))));
  }
  const auto loaded = loader->finish();
  ASSERT_TRUE(loaded);
  const auto counts = env_->counts("/s/blocks");
  EXPECT_EQ(counts.reads, 0U);
  EXPECT_EQ(counts.syncs, 1U);
  EXPECT_EQ(counts.written_bytes, loaded.value().block_bytes);
  const auto report = check_store(*memory_, "/s");
  ASSERT_TRUE(report);
  EXPECT_LE(counts.written_bytes, memory_->status("/s/blocks").value().size_bytes);
  EXPECT_EQ(env_->counts("/s/extents").written_bytes, 0U);
}

TEST_F(LayerLoaderTest, AnUnfinishedStoreIsNone) {
  {
    const auto loader = begin(request());
    ASSERT_TRUE(loader->add(number_key(1), Message::put("one")));
  }
  EXPECT_EQ(read_store_superblock(*env_, "/s").error().kind(), ErrorKind::kNotFound);
  const auto loader = begin(request());
  ASSERT_TRUE(loader->finish());
  EXPECT_EQ(check_store(*env_, "/s").value().basement_points, 0U);
  EXPECT_TRUE(remove_layer(*env_, "/s").value());
}

// Of large values only the bytes that show are written, each once.
TEST_F(LayerLoaderTest, AJoinCopiesTheLargeValuesThatShow) {
  SealedStack stack(*env_);
  const auto kept = text(100'000);
  const auto replaced = text(100'000);
  const auto half = text(60'000);
  const auto patched = text(3'000'000);  // longer than what a join has in memory
  const auto piece = text(50'000);
  stack.add(small_options(), [&](Store& store) {
    Batch batch;
    batch.put(number_key(1), kept);
    batch.put(number_key(2), replaced);
    batch.put(number_key(3), replaced);
    batch.put(number_key(4), patched);
    batch.put(number_key(6), replaced);
    ASSERT_TRUE(store.apply(batch));
  });
  stack.add(small_options(), [&](Store& store) {
    Batch batch;
    batch.put(number_key(2), kept);
    batch.remove(number_key(3));
    batch.patch(number_key(4), 1'000'000, piece);
    batch.patch(number_key(5), 10'000, half);  // over the image
    batch.remove_range(prefix_range(number_key(6)));
    ASSERT_TRUE(store.apply(batch));
  });
  stack.add(small_options(), [&](Store& store) {
    Batch batch;
    batch.patch(number_key(4), 7, "small");
    batch.patch(number_key(5), 40'000, half);
    ASSERT_TRUE(store.apply(batch));
  });
  env_->reset();
  std::uint64_t announced = 0;
  const auto joined = stack.joined(0, 3, {[&](std::uint64_t bytes) { announced += bytes; }, {}});
  ASSERT_TRUE(joined) << joined.error().message();
  const auto& path = joined.value().path(0);
  const auto visible = 2 * kept.size() + patched.size() + 90'000;
  EXPECT_GE(env_->counts(path + "/extents").written_bytes, visible);
  EXPECT_LE(env_->counts(path + "/extents").written_bytes, visible + 10 * 512);
  EXPECT_LE(env_->counts(path + "/blocks").written_bytes, 140'000U) << "mostly the filter";
  EXPECT_GE(announced, visible - 100'000);
  std::uint64_t read = 0;
  for (std::size_t i = 0; i < 3; ++i) read += env_->counts(stack.path(i) + "/extents").read_bytes;
  EXPECT_LE(read, visible + visible / 10);
  for (const std::uint64_t number : {1U, 2U, 4U, 5U}) {
    EXPECT_EQ(whole_value(joined.value(), number_key(number)),
              whole_value(stack, number_key(number)));
  }
  EXPECT_EQ(whole_value(joined.value(), number_key(3)), "none");
  EXPECT_EQ(whole_value(joined.value(), number_key(6)), "none");
  static_cast<void>(joined.value().report(0));
}

// Layers below one that has deleted a range are not read there.
TEST_F(LayerLoaderTest, AJoinDoesNotReadWhatIsCovered) {
  SealedStack stack(*env_);
  stack.add(small_options(), [&](Store& store) {
    for (std::uint64_t i = 0; i < 5000; ++i) {
      Batch batch;
      batch.put(number_key(i), text(20));
      ASSERT_TRUE(store.apply(batch));
    }
  });
  stack.add(small_options(), [&](Store& store) {
    Batch batch;
    batch.remove_range({number_key(100), number_key(4900)});
    ASSERT_TRUE(store.apply(batch));
  });
  env_->reset();
  const auto joined = stack.joined(0, 2);
  ASSERT_TRUE(joined);
  const auto all_bytes = memory_->status(stack.path(0) + "/blocks").value().size_bytes;
  EXPECT_LT(env_->counts(stack.path(0) + "/blocks").read_bytes, all_bytes / 4);
  EXPECT_EQ(joined.value().report(0).basement_points, 200U);
}

TEST_F(LayerLoaderTest, AJoinIsStopped) {
  SealedStack stack(*env_);
  for (int layer = 0; layer < 2; ++layer) {
    stack.add(small_options(), [&](Store& store) {
      for (std::uint64_t i = 0; i < 5000; ++i) {
        Batch batch;
        batch.put(number_key(i), text(40));
        ASSERT_TRUE(store.apply(batch));
      }
    });
  }
  int asked = 0;
  const auto joined = stack.joined(0, 2, {{}, [&] { return ++asked == 3; }});
  EXPECT_EQ(joined.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(memory_->status("/layer2/store"));
}

}  // namespace
}  // namespace dgfs::test
