// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation of a join of layers under a view fails in turn, in whatever thread. The view goes
// on with the same tree, or refuses changes until it is opened again, and then has the same tree.
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "tests/delta/merge/live_join_fixture.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using view::kRoot;

constexpr std::uint64_t kParts = 4;

class LiveJoinAllocations : public testing::TestWithParam<std::uint64_t> {
 protected:
  // Returns whether an allocation with this number was reached.
  bool fail(std::uint64_t at) {
    LiveTree tree;
    tree.tree().directory("d");
    for (const char* name : {"d/f", "gone"}) tree.tree().file(name, name);
    tree.tree().file("large", pattern(3'000, 1));
    tree.open();
    add_layers_to_join(tree);
    expect_ok(tree.view().sync());
    const auto facts = facts_below(tree.view());
    const auto states = states_of(tree);
    bool has_failed = false;
    bool is_done = false;
    {
      merge::LiveJoinOptions options;
      options.directory = LiveTree::kDelta;
      options.unnamed_max = SIZE_MAX;
      merge::LiveJoin join(tree.clock(), tree.view(), tree.delta(), options);
      expect_ok(join.start());
      {
        const FailingHeap heap(at);
        try {
          static_cast<void>(join.join_all());
        } catch (const std::bad_alloc&) {  // nothing has begun
        }
        join.wait();
        has_failed = heap.failed();
      }
      const auto status = join.status();
      is_done = status.outcome.has_value();
      EXPECT_TRUE(is_done || has_failed) << status.error->message();
    }
    EXPECT_EQ(facts_below(tree.view()), facts);
    const auto later = tree.view().create(kRoot, "later", {}, {});
    if (later) {
      expect_ok(tree.view().sync());
      remove_name(tree.view(), "later");
    } else {
      ++refusing_;
    }
    failed_ += has_failed ? 1 : 0;
    done_ += has_failed && is_done ? 1 : 0;
    tree.reopen_after_failure();
    auto seen = facts_below(tree.view());
    if (later) seen["/"] = facts.at("/");
    EXPECT_EQ(seen, facts);
    for (const auto& [state, shown] : states_of(tree)) EXPECT_EQ(shown, states.at(state));
    const auto left = leftovers_in(tree.memory(), LiveTree::kDelta, tree.delta().manifest());
    EXPECT_EQ(left, std::set<std::string>());
    tree.expect_sound();
    return has_failed;
  }

  int failed_ = 0;
  int done_ = 0;  ///< of these, the layers were joined nevertheless
  int refusing_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Parts, LiveJoinAllocations, testing::Range<std::uint64_t>(0, kParts));

TEST_P(LiveJoinAllocations, LeaveTheSameTree) {
  bool has_failed = true;
  // Loading a layer takes many; joins that are not live let each of them fail.
  for (auto at = 1 + GetParam(); has_failed; at += kParts * (at < 200 ? 1 : 7)) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    has_failed = fail(at);
    if (HasFailure()) break;
  }
  EXPECT_GT(failed_, 50);
  EXPECT_LT(refusing_, 5);
}

}  // namespace
}  // namespace dgfs::test
