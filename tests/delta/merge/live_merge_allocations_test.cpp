// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation of a merge into a base under a view fails in turn. The view goes on with the same
// tree, or refuses changes until it is opened again, and then has the same tree.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <new>
#include <string>

#include "tests/delta/merge/live_tree.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using view::kRoot;

class LiveMergeAllocations : public testing::Test {
 protected:
  struct Outcomes {
    int failed = 0;
    int poisoned = 0;
  };
  enum class Step : std::uint8_t { kMake, kPut, kEnd };

  /// Returns whether an allocation with this number was reached.
  static bool fail(Step step, std::uint64_t at, Outcomes& outcomes) {
    LiveTree tree;
    tree.tree().directory("d");
    for (const char* name : {"d/f", "open"}) tree.tree().file(name, name);
    tree.open();
    write_at(tree.view(), tree.object("d/f"), 0, "changed");
    const auto orphan = value_of(tree.view().unlink(kRoot, "open")).object;
    tree.merge();  // the disk in memory needs memory for the first writing of a manifest
    write_at(tree.view(), tree.object("d/f"), 2, "CHANGED");
    tree.seal();
    make_file(tree.view(), "meanwhile", "made after the seal");
    expect_ok(tree.view().sync());
    const auto names = facts_below(tree.view());
    bool has_failed = false;
    const auto run = [&](Step now, const std::function<bool()>& call) {
      if (now != step) return call();
      const FailingHeap heap(at);
      bool is_done = false;
      try {
        is_done = call();
      } catch (const std::bad_alloc&) {  // changes nothing
      }
      has_failed = heap.failed();
      return is_done;
    };
    std::optional<merge::MadeBase> made;
    const bool is_made = run(Step::kMake, [&] {
      auto result = tree.try_make();
      if (result) made = std::move(result).value();
      return made.has_value();
    });
    if (is_made && run(Step::kPut, [&] { return tree.try_put(*made).has_value(); })) {
      run(Step::kEnd, [&] { return tree.view().end_merge().has_value(); });
    }
    const auto later = tree.view().create(kRoot, "later", {}, {});
    if (later) {
      expect_ok(tree.view().sync());
      remove_name(tree.view(), "later");
      EXPECT_EQ(content_of(tree.view(), orphan), "open");
    }
    outcomes.failed += has_failed ? 1 : 0;
    outcomes.poisoned += later ? 0 : 1;
    tree.reopen_after_failure();
    auto seen = facts_below(tree.view());
    if (later) seen["/"] = names.at("/");
    EXPECT_EQ(seen, names);
    tree.expect_sound();
    const auto& base = tree.delta().manifest().base;
    EXPECT_EQ(tree.count_files("base."), 2 + base->kept.size());
    tree.merge();
    return has_failed;
  }

  static Outcomes fail_all(Step step) {
    Outcomes outcomes;
    bool has_failed = true;
    // The steps of a base are many, and tests of merges let each of them fail.
    const std::uint64_t stride = step == Step::kMake ? 37 : 1;
    for (std::uint64_t at = 1; has_failed; at += stride) {
      SCOPED_TRACE("allocation " + std::to_string(at));
      has_failed = fail(step, at, outcomes);
      if (HasFailure()) break;
    }
    return outcomes;
  }
};

TEST_F(LiveMergeAllocations, OfMakingTheBaseChangeNothing) {
  const auto outcomes = fail_all(Step::kMake);
  EXPECT_GT(outcomes.failed, 20);
  EXPECT_EQ(outcomes.poisoned, 0);
}

TEST_F(LiveMergeAllocations, OfTheSwitchLeaveAWholeTree) {
  EXPECT_GT(fail_all(Step::kPut).failed, 50);
}

TEST_F(LiveMergeAllocations, OfCleaningUpLeaveFilesAtMost) {
  const auto outcomes = fail_all(Step::kEnd);
  EXPECT_GT(outcomes.failed, 10);
  EXPECT_EQ(outcomes.poisoned, 0);
}

}  // namespace
}  // namespace dgfs::test
