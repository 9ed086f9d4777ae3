// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveMerge: dry runs, merges that fail and are tried again, and what is removed later.
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "delta/merge/live/live_merge.h"
#include "delta/store/directory/base_files.h"
#include "tests/delta/merge/live_merge_fixture.h"

namespace dgfs::test {
namespace {

using storage::CallKind;

TEST_F(LiveMergeTest, ADryRunWritesNothing) {
  open();
  tree_.seal();
  merge::MergeRequest request;
  request.dry_run = true;
  const auto status = run(request);
  ASSERT_TRUE(status.outcome) << status.error->message();
  EXPECT_GT(status.outcome->base.peak_bytes, 0U);
  EXPECT_GT(status.outcome->base.report.packed_bytes, 0U);
  EXPECT_EQ(tree_.count_files("base.") + tree_.count_files(".base."), 0U);
  EXPECT_FALSE(tree_.delta().manifest().base);
  EXPECT_EQ(told(), "");
}

TEST_F(LiveMergeTest, ADryRunTellsHowMuchItHasNotLookedAt) {
  open();
  merge::MergeRequest request;
  request.dry_run = true;
  const auto unsealed = run(request);
  ASSERT_TRUE(unsealed.outcome) << unsealed.error->message();
  EXPECT_TRUE(unsealed.is_dry_run);
  EXPECT_EQ(unsealed.merges, 0U);
  EXPECT_GT(unsealed.outcome->unsealed_bytes, 20'000U);
  EXPECT_EQ(unsealed.outcome->base.report.packed_bytes, 0U);
  EXPECT_GT(unsealed.outcome->base.peak_bytes,
            unsealed.outcome->unsealed_bytes + tree_.delta().next_store_bytes());
  request.repack.all = true;
  EXPECT_NE(run(request).error.value().message().find("'dgfs delta seal' makes one"),
            std::string::npos);
  request.repack.all = false;
  tree_.seal();
  EXPECT_EQ(run(request).outcome.value().unsealed_bytes, 0U);
  write_at(view(), tree_.object("new"), 0, "again");
  const auto partly = run(request);
  EXPECT_GT(partly.outcome.value().unsealed_bytes, 0U);
  EXPECT_GT(partly.outcome.value().base.report.packed_bytes, 20'000U);
  EXPECT_EQ(told(), "");
}

TEST_F(LiveMergeTest, ADryRunHoldsUpNoMerge) {
  open();
  tree_.seal();
  tree_.set_hook([this](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kOpen || path != kImage) return ok();
    is_held_ = true;
    while (!is_free_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ok();
  });
  merge::MergeRequest request;
  request.dry_run = true;
  const auto number = value_of(merge_->start(request));
  wait_until_held();
  EXPECT_EQ(kind_of(merge_->start(request)), ErrorKind::kBusy) << "one is enough";
  std::thread freeing([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_free_ = true;
  });
  EXPECT_EQ(value_of(merge_->start({})), number + 1);
  freeing.join();
  merge_->wait();
  const auto status = merge_->status();
  EXPECT_TRUE(status.outcome) << status.error->message();
  EXPECT_FALSE(status.is_dry_run);
  EXPECT_EQ(status.merges, 1U);
  EXPECT_TRUE(tree_.delta().manifest().base);
}

TEST_F(LiveMergeTest, MergesThatFailAgainAndAgainAddNoLayers) {
  tree_.set_hook([](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kCreate || path.find("base.") == std::string::npos) return ok();
    return Error(ErrorKind::kIo, 1133, "a fault").in_file(path);
  });
  open();
  for (int i = 0; i < 3; ++i) {
    write_at(view(), tree_.object("new"), 0, std::to_string(i));
    value_of(merge_->start({}, i == 0 ? merge::MergeCause::kSize : merge::MergeCause::kRetry));
    merge_->wait();
    const auto status = merge_->status();
    EXPECT_TRUE(status.error);
    EXPECT_TRUE(status.has_failed);
    EXPECT_EQ(tree_.delta().manifest().stores.size(), 2U) << i;
  }
  const auto told_once = told();
  EXPECT_EQ(told_once.find("given up"), told_once.rfind("given up")) << told_once;
  EXPECT_NE(told_once.find("tries again later"), std::string::npos) << told_once;
  tree_.set_hook({});
  value_of(merge_->start({}, merge::MergeCause::kRetry));
  merge_->wait();
  EXPECT_FALSE(merge_->status().has_failed);
  EXPECT_EQ(tree_.delta().manifest().stores.size(), 1U);
  EXPECT_EQ(content_of(view(), tree_.object("new")).front(), '2')
      << "it is still in the live store";
  // Without layers a retry seals as others do.
  value_of(merge_->start({}, merge::MergeCause::kRetry));
  merge_->wait();
  EXPECT_TRUE(merge_->status().outcome);
  EXPECT_NE(told().find("merged", told_once.size()), std::string::npos);
}

TEST_F(LiveMergeTest, RemovesWhatOthersHaveReadOnceTheyEnd) {
  open();
  ASSERT_TRUE(run().outcome);
  auto reader = std::make_optional(
      value_of(delta::HeldBase::hold(tree_.memory(), LiveTree::kDelta, tree_.delta().manifest())));
  write_at(view(), tree_.object("new"), 0, "again");
  merge::MergeRequest request;
  request.repack.all = true;
  const auto status = run(request);
  ASSERT_TRUE(status.outcome);
  EXPECT_TRUE(status.outcome->unremoved);
  EXPECT_EQ(tree_.count_files("base."), 4U);
  merge_->remove_rest();
  EXPECT_EQ(tree_.count_files("base."), 4U);
  reader.reset();
  merge_->remove_rest();
  EXPECT_EQ(tree_.count_files("base."), 2U);
  EXPECT_NE(told().find("removed layers and bases"), std::string::npos) << told();
  const auto lines = told().size();
  merge_->remove_rest();
  EXPECT_EQ(told().size(), lines);
}

TEST_F(LiveMergeTest, TheNextMountRemovesItToo) {
  open();
  ASSERT_TRUE(run().outcome);
  auto reader = std::make_optional(
      value_of(delta::HeldBase::hold(tree_.memory(), LiveTree::kDelta, tree_.delta().manifest())));
  write_at(view(), tree_.object("new"), 0, "again");
  merge::MergeRequest request;
  request.repack.all = true;
  ASSERT_TRUE(run(request).outcome);
  reopen();
  EXPECT_EQ(tree_.count_files("base."), 4U);
  open();
  reader.reset();
  merge_->remove_rest();
  EXPECT_EQ(tree_.count_files("base."), 2U);
}

TEST_F(LiveMergeTest, ACapThatForbidsTheSealIsToldWithTheWayOut) {
  reopen();
  const auto taken = value_of(merge::delta_bytes(tree_.memory(), LiveTree::kDelta));
  tree_.store_options().max_bytes = taken + tree_.delta().next_store_bytes() / 2;
  reopen();
  open();
  const auto before = facts_below(view());
  const auto status = run();
  ASSERT_TRUE(status.error);
  EXPECT_EQ(status.error->kind(), ErrorKind::kNoSpace);
  const auto message = status.error->message();
  for (const char* part : {"sealing needs ", " MB are free below size=", "with a larger size=",
                           "not mounted (--image); nothing was merged"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(tree_.delta().manifest().stores.size(), 1U);
  EXPECT_EQ(facts_below(view()), before);
  tree_.store_options().max_bytes = 0;
  reopen();
  open();
  EXPECT_TRUE(run().outcome);
  EXPECT_EQ(facts_below(view()), before);
}

}  // namespace
}  // namespace dgfs::test
