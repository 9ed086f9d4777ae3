// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/merge_schedule.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "delta/store/directory/base_files.h"
#include "storage/forwarding_env.h"
#include "tests/delta/merge/live_merge_fixture.h"

namespace dgfs::test {
namespace {

using storage::CallKind;

// The schedule waits for this clock, the merges for the real one.
class ScheduleClock final : public storage::ForwardingEnv {
 public:
  explicit ScheduleClock(storage::Env& base) : EnvForwarder(base) {}
  std::uint64_t monotonic_ns() const override { return monotonic_ns_; }
  void pass(std::chrono::seconds time) {
    monotonic_ns_ += static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
  }

 private:
  std::uint64_t monotonic_ns_ = 1;
};

class MergeScheduleTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kBytes = 300'000;
  static constexpr std::chrono::minutes kPause{10};

  MergeScheduleTest() {
    tree_.tree().file("old", "of the image");
    tree_.open();
    make_file(tree_.view(), "new", std::string(2 * kBytes, 'n'));
    expect_ok(tree_.view().checkpoint());
    merge::LiveMergeOptions options;
    options.directory = LiveTree::kDelta;
    options.image_path = kImage;
    options.own_image_path = kImage;
    options.memory_bytes = std::size_t{8} << 20;
    merge_ = std::make_unique<merge::LiveMerge>(merge_clock_, tree_.view(), tree_.delta(), options);
    schedule_.emplace(clock_, *merge_, tree_.delta(), kBytes);
  }
  ~MergeScheduleTest() override { schedule_.reset(); }

  /// Looks, and waits for the merge that it begins. Returns how many there were.
  std::uint64_t merges_after_look() {
    schedule_->look();
    merge_->wait();
    return merge_->status().merges;
  }
  void change() { write_at(tree_.view(), tree_.object("old"), 0, std::to_string(++changes_)); }
  void fail_merges(bool fail) {
    if (!fail) return tree_.set_hook({});
    tree_.set_hook([](CallKind kind, const std::string& path) -> Status {
      if (kind != CallKind::kCreate || path.find("base.") == std::string::npos) return ok();
      return Error(ErrorKind::kIo, 1133, "a fault").in_file(path);
    });
  }
  [[nodiscard]] std::size_t layers() { return tree_.delta().present_manifest().stores.size() - 1; }

  LiveTree tree_;
  ScheduleClock clock_{tree_.clock()};
  RealClock merge_clock_{tree_.clock()};
  std::unique_ptr<merge::LiveMerge> merge_;
  std::optional<fuse::MergeSchedule> schedule_;
  int changes_ = 0;
};

TEST_F(MergeScheduleTest, MergesAtASize) {
  EXPECT_EQ(merges_after_look(), 1U);
  EXPECT_TRUE(merge_->status().outcome);
  EXPECT_EQ(merges_after_look(), 1U) << "the delta is small now";
}

TEST_F(MergeScheduleTest, WithoutASizeItNeverMerges) {
  schedule_.emplace(clock_, *merge_, tree_.delta(), 0);
  EXPECT_EQ(merges_after_look(), 0U);
  schedule_.emplace(clock_, *merge_, tree_.delta(), 100 * kBytes);
  EXPECT_EQ(merges_after_look(), 0U);
}

// Each failure would otherwise cost a layer and the work of a merge.
TEST_F(MergeScheduleTest, FailuresMakeItRarer) {
  fail_merges(true);
  EXPECT_EQ(merges_after_look(), 1U);
  EXPECT_EQ(layers(), 1U);
  std::uint64_t merges = 1;
  for (int doubling = 0; doubling < 4; ++doubling) {
    change();
    EXPECT_EQ(merges_after_look(), merges) << doubling;
    clock_.pass(kPause * (1 << doubling) - std::chrono::seconds(1));
    EXPECT_EQ(merges_after_look(), merges) << doubling;
    clock_.pass(std::chrono::seconds(1));
    EXPECT_EQ(merges_after_look(), ++merges) << doubling;
    EXPECT_EQ(layers(), 1U) << doubling;
  }
}

// What has changed since the first failure has waited long enough.
TEST_F(MergeScheduleTest, AfterASuccessItGoesOnAtOnce) {
  fail_merges(true);
  EXPECT_EQ(merges_after_look(), 1U);
  make_file(tree_.view(), "second", std::string(2 * kBytes, 's'));
  expect_ok(tree_.view().checkpoint());
  fail_merges(false);
  schedule_->look();  // sees the failure
  clock_.pass(kPause);
  EXPECT_EQ(merges_after_look(), 2U);
  EXPECT_TRUE(merge_->status().outcome);
  EXPECT_EQ(layers(), 0U);
  EXPECT_EQ(merges_after_look(), 3U);
  EXPECT_TRUE(merge_->status().outcome);
  EXPECT_EQ(merges_after_look(), 3U);
}

TEST_F(MergeScheduleTest, ADryRunIsNoMerge) {
  merge::MergeRequest request;
  request.dry_run = true;
  value_of(merge_->start(request));
  merge_->wait();
  EXPECT_EQ(merges_after_look(), 1U);
  EXPECT_TRUE(tree_.delta().present_manifest().base);
}

TEST_F(MergeScheduleTest, RemovesOnceAMinuteWhatOthersHaveRead) {
  schedule_.emplace(clock_, *merge_, tree_.delta(), 0);
  value_of(merge_->start({}));
  merge_->wait();
  auto reader = std::make_optional(value_of(
      delta::HeldBase::hold(tree_.memory(), LiveTree::kDelta, tree_.delta().present_manifest())));
  change();
  merge::MergeRequest request;
  request.repack.all = true;
  value_of(merge_->start(request));
  merge_->wait();
  schedule_->look();
  EXPECT_EQ(tree_.count_files("base."), 4U);
  reader.reset();
  clock_.pass(std::chrono::seconds(59));
  schedule_->look();
  EXPECT_EQ(tree_.count_files("base."), 4U);
  clock_.pass(std::chrono::seconds(1));
  schedule_->look();
  EXPECT_EQ(tree_.count_files("base."), 2U);
}

}  // namespace
}  // namespace dgfs::test
