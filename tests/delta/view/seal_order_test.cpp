// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The order of storage calls in a seal of a view that is in use.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using view::kRoot;
using view::ObjectNumber;

// A view with one layer, whose storage calls can be watched. The live store is 0002, the next one
// 0003.
class SealOrder : public testing::Test {
 protected:
  SealOrder() {
    tree_.file("f", "x");
    tree_.pack();
    image_ = tree_.open();
    options_.create = true;
    options_.parameters = {1024, 4096, 4, 1 << 18, 256};
    options_.table_bytes = 1 << 20;
    expect_ok(delta::DeltaDirectory::create(tree_.memory(), "/delta", image_->superblock().uuid,
                                            image_->superblock().next_inode, options_, 512));
    delta_ = value_of(delta::DeltaDirectory::open(env_, "/delta", options_));
    view_ = value_of(view::View::open(env_, *image_, *delta_, {4, 64}));
    file_ = value_of(view_->create(kRoot, "new", {}, {})).object;
    EXPECT_TRUE(value_of(view_->seal({"zero", {}})).outcome);
    while (!view_->closing_state()) std::this_thread::yield();
    write("before the switch");
  }
  ~SealOrder() override {
    if (syncing_.joinable()) syncing_.join();
  }

  void write(std::string_view bytes) { value_of(view_->write(file_, 0, as_bytes(bytes))); }
  // The call is made once, at the next storage call of that kind on a file.
  void at(CallKind kind, const std::string& end_of_path, std::function<void()> call) {
    kind_ = kind;
    end_of_path_ = end_of_path;
    call_ = std::move(call);
  }
  // Another thread does something that must wait for the manifest.
  void start(std::function<void()> call) {
    syncing_ = std::thread([this, call = std::move(call)] {
      call();
      has_returned_ = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(has_returned_);
  }
  void start_sync() {
    start([this] { expect_ok(view_->sync(file_)); });
  }
  void seal() {
    watches_ = true;
    EXPECT_TRUE(value_of(view_->seal({"one", {}})).outcome);
    EXPECT_EQ(early_logs_, 0) << "the next store logged before the manifest named it";
    ASSERT_TRUE(syncing_.joinable()) << "the moment came";
    syncing_.join();
    EXPECT_TRUE(has_returned_);
    expect_ok(view_->close());
  }

  std::unique_ptr<view::View> view_;
  ObjectNumber file_ = 0;

 private:
  Status watch(CallKind kind, const std::string& path) {
    const bool writes = kind == CallKind::kWrite || kind == CallKind::kSync;
    if (path.ends_with("/MANIFEST") && kind == CallKind::kSync) is_named_ = watches_.load();
    const bool is_log = path.find("/0003/log.") != path.npos;
    if (watches_ && has_fresh_ && !is_named_ && writes && is_log) ++early_logs_;
    if (kind == CallKind::kOpen && path.ends_with("/0003/extents")) has_fresh_ = true;
    if (call_ && kind == kind_ && path.find(end_of_path_) != path.npos) {
      std::exchange(call_, nullptr)();
    }
    return ok();
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  delta::StoreOptions options_;
  HookEnv env_{tree_.memory(),
               [this](CallKind kind, const std::string& path) { return watch(kind, path); }};
  std::unique_ptr<delta::DeltaDirectory> delta_;
  CallKind kind_ = CallKind::kOther;
  std::string end_of_path_;
  std::function<void()> call_;
  std::atomic<bool> watches_ = false;
  std::atomic<bool> has_fresh_ = false;
  std::atomic<bool> is_named_ = false;
  std::atomic<int> early_logs_ = 0;
  std::atomic<bool> has_returned_ = false;
  std::thread syncing_;
};

// Between the switch and the change of the manifest: a change goes into the next store, and its
// sync must not return, since a crash would lose it.
TEST_F(SealOrder, ASyncWaitsUntilTheManifestNamesTheFreshStore) {
  at(CallKind::kWrite, "/MANIFEST", [this] {
    write("after the switch");
    start_sync();
  });
  seal();
}

// A change that came right before the switch: the next store begins above its number, and must not
// call it durable.
TEST_F(SealOrder, ASyncOfAnEarlierChangeWaitsAsWell) {
  at(CallKind::kOpen, "/0003/extents", [this] {
    write("in the group that is synced before the switch");
    at(CallKind::kSync, "/0002/log.", [this] {
      write("not in the group that is being synced");
      at(CallKind::kWrite, "/0002/log.", [this] { start_sync(); });
    });
  });
  seal();
}

TEST_F(SealOrder, ACheckpointWaitsAsWell) {
  at(CallKind::kWrite, "/MANIFEST", [this] {
    write("after the switch");
    start([this] { expect_ok(view_->checkpoint()); });
  });
  seal();
}

// The group of the next store becomes full before the manifest names it.
TEST_F(SealOrder, AFullGroupWaitsAsWell) {
  at(CallKind::kWrite, "/MANIFEST", [this] {
    start([this] {
      for (int i = 0; i < 1500; ++i) write(std::string(200, static_cast<char>('a' + i % 26)));
      for (int i = 0; i < 400; ++i) {
        value_of(view_->create(kRoot, "n" + std::to_string(i), {}, {}));
      }
    });
  });
  seal();
}

}  // namespace
}  // namespace dgfs::test
