// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at each call of a join, of the clean-up after it, and of the opening that
// follows.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/delta/layer/joined_delta.h"
#include "tests/delta/store/crash/stopping_env.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;

class JoinCrash : public JoinedDelta {
 protected:
  JoinCrash() {
    add_four();
    shown_ = tree();
    old_ = manifest();
    start_ = disk_->snapshot();
  }
  // Returns whether the caller may rely on the joined layer.
  static bool change(storage::Env& env) {
    const auto opened = DeltaDirectory::open(env, "/d", options());
    if (!opened || !join(env, *opened.value(), {1, 4})) return false;
    static_cast<void>(opened.value()->remove_unneeded());
    return true;
  }

  Values shown_;
  Manifest old_;
  std::unique_ptr<storage::MemoryEnv> start_;
};

TEST_F(JoinCrash, LeavesTheOldLayersOrTheNewOneAndNothingElse) {
  constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                  CrashLoss::kRandomSubset, CrashLoss::kScattered};
  int olds = 0;
  int news = 0;
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped && !HasFailure(); ++call) {
    for (const auto loss : kLosses) {
      const auto where = ::testing::Message()
                         << "call " << call << ", loss " << static_cast<int>(loss);
      disk_ = start_->snapshot();
      bool is_acknowledged = false;
      {
        StoppingEnv env(*disk_, call);
        is_acknowledged = change(env.env());
        has_stopped = env.has_stopped();
      }
      disk_->crash(loss, call);
      StoppingEnv opening(*disk_, 1 + call * 7 % 97);
      static_cast<void>(DeltaDirectory::open(opening.env(), "/d", options()));
      if (opening.has_stopped()) disk_->crash(loss, call + 1);
      {
        const auto delta = open();
        ASSERT_NE(delta, nullptr) << where;
        const auto& now = delta->manifest();
        const bool is_new = now.stores.size() == 3;
        ASSERT_TRUE(is_new || (now.stores == old_.stores && !is_acknowledged)) << where;
        is_new ? ++news : ++olds;
        ASSERT_EQ(tree_of(delta->stores()), shown_) << where;
      }
      expect_tidy();
      ASSERT_FALSE(HasFailure()) << where;
    }
  }
  EXPECT_GT(olds, 200);
  EXPECT_GT(news, 50);
}

}  // namespace
}  // namespace dgfs::test
