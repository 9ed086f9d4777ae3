// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stores that are opened read-only, on a storage that refuses all writes.
#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

class StoreReadOnly : public testing::TestWithParam<std::uint64_t> {
 protected:
  StoreReadOnly() {
    Random random(GetParam());
    options_ = tiny_options(random);
    read_options_ = options_;
    read_options_.access = StoreAccess::kReadOnly;
  }

  /// Does random work and leaves some of it in the log alone.
  void work() {
    auto store = open_store(*disk_, options_);
    Random random(GetParam() + 100);
    BatchShape shape;
    shape.keys = 60;
    for (int step = 0; step < 200; ++step) {
      const auto batch = random_batch(random, shape);
      ASSERT_TRUE(store->apply(batch));
      model_.apply(batch);
      if (random.one_in(40)) {
        ASSERT_TRUE(store->checkpoint());
      }
    }
    ASSERT_TRUE(store->sync());
  }
  Status let_read(storage::CallKind kind, const std::string& path) {
    using storage::CallKind;
    const bool changes = kind != CallKind::kOpen && kind != CallKind::kRead;
    if (!changes || kind == CallKind::kOther) return ok();
    ++changes_;
    return Error(ErrorKind::kIo, 1132, "nothing may be changed").in_file(path);
  }

  std::unique_ptr<storage::MemoryEnv> disk_ = storage::make_memory_env(1);
  HookEnv hooked_{*disk_, [this](storage::CallKind kind, const std::string& path) {
                    return let_read(kind, path);
                  }};
  int changes_ = 0;
  StoreOptions options_;
  StoreOptions read_options_;
  StoreModel model_;
};

TEST_P(StoreReadOnly, HaveWhatTheLogHasAndWriteNothing) {
  work();
  {
    auto store = open_store(hooked_, read_options_);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(values_of(*store), model_.values());
    for (const auto& [key, value] : model_.values()) {
      EXPECT_EQ(store->get(key).value(), value) << key;
    }
    EXPECT_TRUE(store->close());
  }
  EXPECT_EQ(changes_, 0);
  EXPECT_EQ(values_of(*open_store(*disk_, options_)), model_.values());
}

TEST_P(StoreReadOnly, RefuseWhatWouldWrite) {
  work();
  auto store = open_store(hooked_, read_options_);
  Batch small;
  small.put("k", "v");
  Batch large;
  large.put("k", std::string(3000, 'v'));
  Batch removing;
  removing.remove("k");
  std::vector<Status> refused;
  for (const Batch* batch : {&small, &large, &removing}) refused.push_back(applied(*store, *batch));
  refused.push_back(store->sync());
  refused.push_back(store->maintain());
  refused.push_back(store->checkpoint());
  for (const Status& status : refused) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind(), ErrorKind::kPermission) << status.error().message();
    EXPECT_EQ(status.error().code(), 7132);
  }
  EXPECT_EQ(changes_, 0);
  EXPECT_EQ(values_of(*store), model_.values());
}

TEST_P(StoreReadOnly, AreOpenBesideEachOtherAndNotBesideAWriter) {
  work();
  auto first = open_store(hooked_, read_options_);
  auto second = open_store(hooked_, read_options_);
  const auto writer = Store::open(*disk_, "/s", options_);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind(), ErrorKind::kBusy);
  EXPECT_EQ(values_of(*first), values_of(*second));
  first = nullptr;
  second = nullptr;
  const auto alone = open_store(*disk_, options_);
  const auto reader = Store::open(hooked_, "/s", read_options_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind(), ErrorKind::kBusy);
}

TEST_P(StoreReadOnly, AreNotMade) {
  const auto opened = Store::open(hooked_, "/s", read_options_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(changes_, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreReadOnly, testing::Range<std::uint64_t>(0, 12));

}  // namespace
}  // namespace dgfs::test
