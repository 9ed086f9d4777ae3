// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveMerge: merges in a thread beside a view; how they end, and what is told of them.
#include "delta/merge/live/live_merge.h"

#include <chrono>
#include <string>
#include <thread>

#include "tests/delta/merge/live_merge_fixture.h"

namespace dgfs::test {
namespace {

using merge::LiveMerge;
using storage::CallKind;
using view::kRoot;

TEST_F(LiveMergeTest, MergesAllThatWasChanged) {
  open();
  EXPECT_EQ(merge_->status().number, 0U);
  EXPECT_FALSE(merge_->status().is_running);
  EXPECT_FALSE(merge_->cancel());
  const auto before = facts_below(view());
  const auto status = run();
  EXPECT_FALSE(status.is_running);
  EXPECT_FALSE(status.error) << status.error->message();
  EXPECT_EQ(status.number, 1U);
  ASSERT_TRUE(status.outcome);
  EXPECT_GE(status.outcome->base.changes, 3U);
  EXPECT_FALSE(status.outcome->unremoved);
  EXPECT_GT(status.outcome->bytes_before, 0U);
  EXPECT_GT(status.outcome->bytes_after, 0U);
  EXPECT_EQ(view().image()->superblock().uuid, status.outcome->base.plan.base.uuid);
  EXPECT_EQ(tree_.delta().manifest().stores.size(), 1U);
  EXPECT_EQ(tree_.delta().manifest().image_path, kImage);
  EXPECT_EQ(facts_below(view()), before);
  EXPECT_NE(told().find("merging 1 layers"), std::string::npos) << told();
  EXPECT_NE(told().find("merged"), std::string::npos) << told();
  reopen();
  EXPECT_EQ(facts_below(view()), before);
}

TEST_F(LiveMergeTest, WithoutChangesThereIsNothingToMerge) {
  open();
  EXPECT_TRUE(run().outcome);
  const auto status = run();
  EXPECT_FALSE(status.outcome);
  ASSERT_TRUE(status.error);
  EXPECT_EQ(status.error->kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(status.error->message().find("nothing to merge"), std::string::npos);
  EXPECT_EQ(status.number, 2U);
  EXPECT_NE(told().find("the merge was given up: "), std::string::npos);
  write_at(view(), tree_.object("new"), 0, "again");
  EXPECT_TRUE(run().outcome);
  EXPECT_EQ(merge_->status().number, 3U);
}

TEST_F(LiveMergeTest, OneAtATime) {
  hold();
  open();
  value_of(merge_->start({}));
  wait_until_held();
  EXPECT_TRUE(merge_->status().is_running);
  const auto second = merge_->start({});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kBusy);
  EXPECT_NE(second.error().message().find("a merge is under way"), std::string::npos);
  EXPECT_EQ(merge_->status().number, 1U);
  // The view is used meanwhile.
  write_at(view(), tree_.object("d/f"), 0, "MEANWHILE");
  is_free_ = true;
  merge_->wait();
  EXPECT_TRUE(merge_->status().outcome);
  EXPECT_EQ(content_of(view(), tree_.object("d/f")), "MEANWHILEage");
  tree_.expect_sound();
}

TEST_F(LiveMergeTest, ACancelledMergeLeavesNothing) {
  hold();
  open();
  const auto before = facts_below(view());
  value_of(merge_->start({}));
  wait_until_held();
  EXPECT_TRUE(merge_->cancel());
  is_free_ = true;
  merge_->wait();
  const auto status = merge_->status();
  EXPECT_FALSE(status.outcome);
  ASSERT_TRUE(status.error);
  EXPECT_EQ(status.error->kind(), ErrorKind::kInterrupted);
  EXPECT_NE(status.error->message().find("cancelled"), std::string::npos);
  EXPECT_FALSE(merge_->cancel());
  EXPECT_EQ(tree_.count_files("base.") + tree_.count_files(".base."), 0U);
  EXPECT_EQ(facts_below(view()), before);
  EXPECT_TRUE(run().outcome);
  EXPECT_EQ(facts_below(view()), before);
}

TEST_F(LiveMergeTest, EndsDuringAMerge) {
  hold();
  open();
  const auto before = facts_below(view());
  value_of(merge_->start({}));
  wait_until_held();
  std::thread ending([this] { merge_ = nullptr; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  is_free_ = true;
  ending.join();
  EXPECT_EQ(facts_below(view()), before);
  reopen();
  EXPECT_EQ(facts_below(view()), before);
  EXPECT_EQ(tree_.count_files("base.") + tree_.count_files(".base."), 0U);
}

TEST_F(LiveMergeTest, EndsAtAnyMoment) {
  const auto before = facts_below(view());
  for (int wait_us = 0; wait_us < 40'000; wait_us += 1'500) {
    open();
    static_cast<void>(merge_->start({}));
    std::this_thread::sleep_for(std::chrono::microseconds(wait_us));
    merge_ = nullptr;
    EXPECT_EQ(facts_below(view()), before);
  }
  reopen();
  EXPECT_EQ(facts_below(view()), before);
  const auto& base = tree_.delta().manifest().base;
  EXPECT_EQ(tree_.count_files("base."), base ? 2 + base->kept.size() : 0);
}

// What is not sealed cannot be read; but a merge would seal it.
// Sixteen of them would be the end of all seals.
// A reader may outlive a mount.
TEST_F(LiveMergeTest, ARepackNeedsNoOtherFile) {
  open();
  EXPECT_TRUE(run().outcome);
  EXPECT_FALSE(view().image()->volume_origins().empty());
  merge::MergeRequest request;
  request.repack.all = true;
  ASSERT_TRUE(run(request).outcome);
  EXPECT_TRUE(view().image()->volume_origins().empty());
  EXPECT_EQ(tree_.count_files("base."), 2U);
  EXPECT_EQ(content_of(view(), tree_.object("d/f")), "of the image");
}

TEST_F(LiveMergeTest, ADiskThatIsNearlyFullEndsIt) {
  constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 40;
  tree_.memory().set_capacity(kLargeBytes);
  const auto used = kLargeBytes - value_of(value_of(tree_.memory().open(kImage))->free_bytes());
  tree_.memory().set_capacity(used + LiveMerge::kFreeBytesMin / 2);
  open();
  const auto before = facts_below(view());
  const auto status = run();
  ASSERT_TRUE(status.error) << "it did not look";
  EXPECT_EQ(status.error->kind(), ErrorKind::kNoSpace);
  EXPECT_NE(status.error->message().find("MB of the disk are free"), std::string::npos);
  EXPECT_EQ(tree_.count_files("base.") + tree_.count_files(".base."), 0U);
  EXPECT_EQ(facts_below(view()), before);
  tree_.memory().set_capacity(kLargeBytes);
  EXPECT_TRUE(run().outcome);
}

// Until the merge has ended, writers need the space of both stores.
TEST_F(LiveMergeTest, ACancelEndsASleepForTheRate) {
  options_.bytes_per_second = 1;
  open();
  value_of(merge_->start({}));
  while (merge_->status().is_running && merge_->status().percent == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(merge_->cancel()) << "it did not sleep";
  merge_->wait();
  EXPECT_TRUE(merge_->status().error);
  EXPECT_EQ(tree_.count_files("base."), 0U);
}

// A program that replaces an image removes the old one, which goes on while it is open.
TEST_F(LiveMergeTest, TheImageNeedsNoNameAnyMore) {
  open();
  const auto before = facts_below(view());
  expect_ok(tree_.memory().remove(kImage));
  expect_ok(tree_.memory().remove(kIndex));
  ASSERT_TRUE(run().outcome) << merge_->status().error->message();
  EXPECT_EQ(facts_below(view()), before);
  merge_ = nullptr;
}

// Otherwise the manifest might name files that are gone.
TEST_F(LiveMergeTest, FilesStayIfTheManifestMayNameThem) {
  for (const auto error : {ErrorKind::kIo, ErrorKind::kNoSpace}) {
    for (const auto kind : {CallKind::kWrite, CallKind::kSync}) {
      for (const int nth : {1, 2}) {
        SCOPED_TRACE(std::to_string(nth) + ", error " + std::to_string(static_cast<int>(error)) +
                     ", call " + std::to_string(static_cast<int>(kind)));
        write_at(view(), tree_.object("new"), 0, "changed");
        const auto before = facts_below(view());
        is_held_ = false;
        fail_manifest(kind, nth, error);
        open();
        const auto status = run();
        tree_.set_hook({});
        ASSERT_TRUE(status.error);
        EXPECT_EQ(facts_below(view()), before);
        EXPECT_FALSE(view().create(kRoot, "refused", {}, {}));
        reopen();
        EXPECT_EQ(facts_below(view()), before);
        tree_.expect_sound();
      }
    }
  }
}

// It must not replace the files that the manifest may name.
TEST_F(LiveMergeTest, NoMergeFollowsUntilTheDeltaIsOpenedAgain) {
  const auto orphan = value_of(view().unlink(tree_.object("d"), "f")).object;
  value_of(view().seal({"named", {}}));  // a merge then needs no seal
  const auto before = facts_below(view());
  fail_manifest(CallKind::kSync, 2, ErrorKind::kIo);
  open();
  EXPECT_TRUE(run().error);
  tree_.set_hook({});
  static_cast<void>(view().release(orphan));
  EXPECT_TRUE(run().error);
  EXPECT_FALSE(merge_->status().outcome);
  reopen();
  EXPECT_EQ(facts_below(view()), before);
  tree_.expect_sound();
}

// Nothing was written, so the view goes on, and nothing stays behind.
TEST_F(LiveMergeTest, ABaseThatCannotBeOpenedIsDropped) {
  const auto before = facts_below(view());
  tree_.set_hook([](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kOpen || !path.starts_with(std::string(LiveTree::kDelta) + "/base.")) {
      return ok();
    }
    return Error(ErrorKind::kIo, 1133, "a fault").in_file(path);
  });
  open();
  const auto status = run();
  tree_.set_hook({});
  ASSERT_TRUE(status.error);
  EXPECT_EQ(status.error->kind(), ErrorKind::kIo);
  EXPECT_EQ(tree_.count_files("base."), 0U);
  EXPECT_TRUE(view().create(kRoot, "later", {}, {}));
  remove_name(view(), "later");
  EXPECT_TRUE(run().outcome);
  auto after = facts_below(view());
  after["/"] = before.at("/");  // its times have changed
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace dgfs::test
