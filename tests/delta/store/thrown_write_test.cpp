// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A storage call throws for lack of memory. If the state of the disk is unknown then, the store
// writes no more, and reads go on. Otherwise the store goes on.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>

#include "storage/memory/env.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/failing_heap.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CallKind;

/// Which calls throw, and whether the store stops writing for good.
struct Thrown {
  std::string file;  ///< the begin of its path
  CallKind kind;
  bool is_end;
};

class ThrownWrite : public testing::TestWithParam<Thrown> {
 protected:
  ThrownWrite() {
    options_.create = true;
    options_.parameters.inline_bytes = 100;
    options_.parameters.segment_bytes = std::uint64_t{1} << 20;
    store_ = open_store(env_, options_);
    put("before", std::string(1000, 'b'));
    EXPECT_TRUE(store_->checkpoint());
    put("large", std::string(1000, 'l'));
    put("small", "s");
  }

  void put(const std::string& key, const std::string& value) {
    Batch batch;
    batch.put(key, value);
    EXPECT_TRUE(store_->apply(batch));
  }
  /// A checkpoint writes and syncs each of the files, so it is refused.
  void expect_refused_checkpoint() {
    throws_ = true;
    const auto refused = store_->checkpoint();
    throws_ = false;
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), GetParam().is_end ? ErrorKind::kIo : ErrorKind::kLimit);
  }
  void expect_all_to_be_read() {
    EXPECT_EQ(store_->get("before").value(), std::string(1000, 'b'));
    EXPECT_EQ(store_->get("large").value(), std::string(1000, 'l'));
    EXPECT_EQ(store_->get("small").value(), "s");
    EXPECT_EQ(values_of(*store_).size(), 3U);
  }
  void expect_end_of_writing() {
    Batch batch;
    batch.put("later", "value");
    const auto applied = store_->apply(batch);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().kind(), ErrorKind::kIo);
    for (const auto& refused :
         {store_->sync(), store_->maintain(), store_->checkpoint(), store_->close()}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind(), ErrorKind::kIo);
    }
  }

  bool throws_ = false;
  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  HookEnv env_{*memory_, [this](CallKind kind, const std::string& path) {
                 if (throws_ && kind == GetParam().kind && path.starts_with(GetParam().file)) {
                   throw std::bad_alloc();
                 }
                 return Status(ok());
               }};
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

TEST_P(ThrownWrite, EndsWritingWhereItLeavesTheDiskUnknown) {
  expect_refused_checkpoint();
  expect_all_to_be_read();
  if (GetParam().is_end) {
    expect_end_of_writing();
  } else {
    EXPECT_TRUE(store_->checkpoint());
    expect_all_to_be_read();
  }
  store_.reset();
  store_ = open_store(env_, options_);
  EXPECT_EQ(store_->get("before").value(), std::string(1000, 'b'));
  put("later", "value");
  EXPECT_TRUE(store_->checkpoint());
  store_.reset();
  expect_sound(*memory_);
}

// There is no memory even to copy the error. Nevertheless sync(), even of durable batches, reports
// it.
TEST(ThrownSync, EndsWritingWhereMemoryStaysAway) {
  for (const std::string file : {"/s/blocks", "/s/extents"}) {
    const auto memory = storage::make_memory_env(1);
    bool throws = false;
    std::optional<FailingHeap> heap;
    HookEnv env(*memory, [&](CallKind kind, const std::string& path) {
      if (throws && kind == CallKind::kSync && path == file) {
        heap.emplace(1, FailingHeap::Lasts::kOn);
        throw std::bad_alloc();
      }
      return Status(ok());
    });
    StoreOptions options;
    options.create = true;
    options.parameters.inline_bytes = 100;
    const auto store = open_store(env, options);
    Batch batch;
    batch.put("large", std::string(1000, 'l'));
    ASSERT_TRUE(store->apply(batch));
    if (file == "/s/blocks") {
      ASSERT_TRUE(store->sync());
    }
    throws = true;
    bool has_failed = false;
    try {
      has_failed = !store->checkpoint();
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    heap.reset();
    throws = false;
    EXPECT_TRUE(has_failed);
    EXPECT_FALSE(store->sync()) << file;
    EXPECT_FALSE(store->apply(batch)) << file;
    EXPECT_EQ(store->get("large").value(), std::string(1000, 'l'));
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, ThrownWrite,
                         testing::Values(Thrown{"/s/log", CallKind::kWrite, true},
                                         Thrown{"/s/log", CallKind::kSync, true},
                                         Thrown{"/s/store", CallKind::kWrite, true},
                                         Thrown{"/s/store", CallKind::kSync, true},
                                         Thrown{"/s/blocks", CallKind::kSync, true},
                                         Thrown{"/s/extents", CallKind::kSync, true},
                                         Thrown{"/s/blocks", CallKind::kWrite, false},
                                         Thrown{"/s/extents", CallKind::kWrite, false}));

}  // namespace
}  // namespace dgfs::test
