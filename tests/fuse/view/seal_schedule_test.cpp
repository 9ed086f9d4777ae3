// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/seal_schedule.h"

#include <string>
#include <vector>

#include "delta/store/directory/states.h"
#include "storage/forwarding_env.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;

class SetClock final : public storage::ForwardingEnv {
 public:
  explicit SetClock(storage::Env& base) : EnvForwarder(base), now_(base.now()) {}
  Time now() const override { return now_; }
  std::uint64_t monotonic_ns() const override { return monotonic_ns_; }
  /// Both clocks.
  void pass(std::int64_t seconds) {
    now_.seconds += seconds;
    monotonic_ns_ += static_cast<std::uint64_t>(seconds) * 1'000'000'000;
  }
  /// Only the one that tells times.
  void set_back(std::int64_t seconds) { now_.seconds -= seconds; }

 private:
  Time now_;
  std::uint64_t monotonic_ns_ = 1;
};

class SealScheduleTest : public testing::Test {
 protected:
  SealScheduleTest() { tree_.open(); }
  [[nodiscard]] fuse::SealSchedule schedule(const fuse::SealTimes& times) {
    return {clock_,        tree_.view(),
            tree_.delta(), "",
            times,         [this](const Error& error) { warnings_.push_back(error.message()); }};
  }
  void change() { value_of(tree_.view().create(kRoot, "new" + std::to_string(++made_), {}, {})); }
  [[nodiscard]] std::size_t layers() { return delta::layers_of(tree_.delta().present_manifest()); }

  ViewedTree tree_;
  SetClock clock_{tree_.clock()};
  std::vector<std::string> warnings_;
  int made_ = 0;
};

TEST_F(SealScheduleTest, CountsFromTheMountWithoutAState) {
  auto schedule = this->schedule({std::chrono::seconds(100), 0});
  change();
  clock_.pass(99);
  EXPECT_FALSE(schedule.is_due());
  clock_.pass(1);
  EXPECT_TRUE(schedule.is_due());
  schedule.look();
  EXPECT_EQ(layers(), 1U);
}

// A delta that is mounted for a short time each day is sealed nevertheless.
TEST_F(SealScheduleTest, CountsFromTheNewestState) {
  change();
  tree_.seal_live();
  clock_.pass(100);
  EXPECT_TRUE(schedule({std::chrono::seconds(100), 0}).is_due());
  EXPECT_FALSE(schedule({std::chrono::seconds(101), 0}).is_due());
}

TEST_F(SealScheduleTest, AStateOfTheFutureDoesNotStopIt) {
  change();
  tree_.seal_live();
  clock_.set_back(1'000'000);
  auto schedule = this->schedule({std::chrono::seconds(100), 0});
  change();
  EXPECT_FALSE(schedule.is_due());
  clock_.pass(100);
  schedule.look();
  EXPECT_EQ(layers(), 2U);
  change();
  EXPECT_FALSE(schedule.is_due()) << "the new state has a time of the future, too";
  clock_.pass(100);
  EXPECT_TRUE(schedule.is_due());
}

TEST_F(SealScheduleTest, SealsAtASize) {
  auto schedule = this->schedule({std::chrono::seconds(0), 1});
  change();
  expect_ok(tree_.view().checkpoint());
  schedule.look();
  EXPECT_EQ(layers(), 1U);
}

TEST_F(SealScheduleTest, TellsAnErrorOnceInARow) {
  for (int i = 0; i < 16; ++i) {
    change();
    tree_.seal_live();
  }
  auto schedule = this->schedule({std::chrono::seconds(10), 0});
  change();
  clock_.pass(10);
  schedule.look();
  schedule.look();
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_.front().find("16 layers"), std::string::npos) << warnings_.front();
}

}  // namespace
}  // namespace dgfs::test
