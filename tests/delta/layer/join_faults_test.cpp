// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A storage call of a join fails, or a sync loses its data: the delta shows the same tree, and
// before the manifest changes nothing is left of the join.
#include <gtest/gtest.h>

#include <string>

#include "storage/testing/faulty_env.h"
#include "tests/delta/layer/joined_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::FaultKind;

class JoinFaults : public JoinedDelta {
 protected:
  JoinFaults() {
    add_four({"", "", "", "four"});
    shown_ = tree();
    start_ = disk_->snapshot();
  }
  // Fails each call of a join in turn, if the fault can befall it. Returns how many joins failed.
  int fail_each(FaultKind kind) {
    int failed = 0;
    bool has_such_a_call = true;
    for (std::uint64_t call = 1; has_such_a_call && !HasFailure(); ++call) {
      const auto where = ::testing::Message() << "call " << call;
      disk_ = start_->snapshot();
      const auto faulty = storage::make_faulty_env(*disk_, call);
      faulty->lose_with(
          [this](const std::string& path) { static_cast<void>(disk_->lose_unsynced(path)); });
      faulty->arm({kind, call, false});
      const auto outcome = layer::join_offline(*faulty, "/d", {});
      has_such_a_call = faulty->calls() >= call;
      if (!outcome) ++failed;
      // The crash takes the bytes whose sync was lost.
      if (kind == FaultKind::kLostSync) disk_->crash(storage::CrashLoss::kDropUnsynced, call);
      {
        const auto delta = open();
        EXPECT_NE(delta, nullptr) << where;
        if (delta == nullptr) return failed;
        EXPECT_EQ(tree_of(delta->stores()), shown_) << where;
        EXPECT_TRUE(!outcome || delta->manifest().stores.size() == 2) << where;
      }
      expect_tidy();
      EXPECT_EQ(tree_of_state("four"), shown_) << where;
      EXPECT_FALSE(HasFailure()) << where;
    }
    return failed;
  }

  Values shown_;
  std::unique_ptr<storage::MemoryEnv> start_;
};

TEST_F(JoinFaults, AnErrorOfTheDisk) { EXPECT_GT(fail_each(FaultKind::kIoError), 50); }
TEST_F(JoinFaults, AFullDisk) { EXPECT_GT(fail_each(FaultKind::kNoSpace), 20); }
TEST_F(JoinFaults, ALostSync) { EXPECT_GT(fail_each(FaultKind::kLostSync), 5); }
TEST_F(JoinFaults, AFlippedBit) { fail_each(FaultKind::kBitFlip); }
TEST_F(JoinFaults, AShortRead) { fail_each(FaultKind::kShortRead); }

}  // namespace
}  // namespace dgfs::test
