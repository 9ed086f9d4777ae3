// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call of a join of layers under a view fails in turn, or is the last before the
// machine stops: the view has the same tree, over the old layers or the joined ones, and after the
// next opening nothing is left but what the manifest names.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "storage/memory/crash_loss.h"
#include "tests/delta/merge/live_join_fixture.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using storage::CrashLoss;
using view::kRoot;
using view::ObjectNumber;

enum class JoinFault : std::uint8_t { kIo, kNoSpace, kLostSync, kStop };

constexpr std::array kJoinLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                    CrashLoss::kRandomSubset, CrashLoss::kScattered};

/// Joins two ranges of layers while one storage call fails.
class JoinWithAFault {
 public:
  explicit JoinWithAFault(JoinFault fault) : fault_(fault) {
    tree_.tree().directory("d");
    for (const char* name : {"d/f", "gone", "open"}) tree_.tree().file(name, name);
    tree_.tree().file("large", pattern(3'000, 1));
    tree_.open();
    add_layers_to_join(tree_);
    orphan_ = value_of(view().unlink(kRoot, "open")).object;
    expect_ok(view().sync());
    facts_ = facts_below(view());
    states_ = states_of(tree_);
    stores_ = tree_.delta().manifest().stores.size();
    tree_.set_hook([this](CallKind kind, const std::string& path) { return before(kind, path); });
  }

  /// @param call  that fails, from 1 on
  /// Returns whether the joins have so many calls.
  bool run(std::uint64_t call) {
    merge::LiveJoinOptions options;
    options.directory = LiveTree::kDelta;
    options.unnamed_max = SIZE_MAX;
    merge::LiveJoin join(tree_.clock(), view(), tree_.delta(), options);
    expect_ok(join.start());
    left_ = call;
    const auto begun = join.join_all();
    join.wait();
    if (fault_ != JoinFault::kStop) left_ = 0;
    const auto status = join.status();
    EXPECT_TRUE(begun || has_failed_);
    EXPECT_TRUE(!begun || status.outcome || has_failed_) << status.error->message();
    is_done_ = status.outcome.has_value();
    return has_failed_;
  }

  /// Expects that the view goes on; only if the manifest with a joined layer could not be written
  /// does it refuse changes.
  void expect_to_go_on() {
    EXPECT_EQ(facts_below(view()), facts_);
    EXPECT_EQ(content_of(view(), orphan_), "open");
    const auto later = view().create(kRoot, "later", {}, {});
    has_later_ = later && view().sync();
    if (is_of_manifest_ && !is_done_) {
      is_refusing_ = !later;
    } else {
      EXPECT_TRUE(has_later_) << failed_path_ << ": the manifest was not written";
    }
  }

  void expect_whole_after(const std::optional<CrashLoss>& loss) {
    tree_.set_hook({});
    loss ? tree_.reopen_after_crash(*loss) : tree_.reopen_after_failure();
    auto facts = facts_below(view());
    if (facts.erase("later") != 0) {
      facts["/"] = facts_["/"];
    } else {
      EXPECT_FALSE(has_later_);
    }
    EXPECT_EQ(facts, facts_);
    const auto& manifest = tree_.delta().manifest();
    is_joined_ = manifest.stores.size() < stores_;
    if (is_done_) {
      EXPECT_EQ(manifest.stores.size(), stores_ - 2);
    }
    expect_states();
    EXPECT_EQ(kind_of(view().attributes(orphan_)), ErrorKind::kNotFound);
    const auto left = leftovers_in(tree_.memory(), LiveTree::kDelta, manifest);
    EXPECT_EQ(left, std::set<std::string>());
    tree_.expect_sound();
  }

  [[nodiscard]] bool is_refusing() const { return is_refusing_; }
  [[nodiscard]] bool is_joined() const { return is_joined_; }

 private:
  [[nodiscard]] view::View& view() { return tree_.view(); }
  void expect_states() {
    bool has_named = false;
    for (const auto& [state, facts] : states_of(tree_)) {
      const auto found = states_.find(state);
      EXPECT_TRUE(found != states_.end() && facts == found->second);
    }
    for (const auto& store : tree_.delta().manifest().stores) {
      has_named |= store.layer.name == "named";
    }
    EXPECT_TRUE(has_named);
  }
  [[nodiscard]] bool counts(CallKind kind) const {
    switch (fault_) {
      case JoinFault::kNoSpace:
        return kind == CallKind::kCreate || kind == CallKind::kPublish ||
               kind == CallKind::kWrite || kind == CallKind::kSync || kind == CallKind::kLink ||
               kind == CallKind::kAllocate;
      case JoinFault::kLostSync:
        return kind == CallKind::kSync;
      default:
        return true;
    }
  }
  Status before(CallKind kind, const std::string& path) {
    const bool has_stopped = fault_ == JoinFault::kStop && has_failed_;
    if (!has_stopped && (left_ == 0 || !counts(kind) || --left_ != 0)) return ok();
    if (!has_failed_) failed_path_ = path;
    has_failed_ = true;
    is_of_manifest_ = is_of_manifest_ || path.ends_with("/MANIFEST");
    if (fault_ == JoinFault::kLostSync) static_cast<void>(tree_.memory().lose_unsynced(path));
    return Error(fault_ == JoinFault::kNoSpace ? ErrorKind::kNoSpace : ErrorKind::kIo, 1133,
                 "a fault")
        .in_file(path);
  }

  const JoinFault fault_;
  LiveTree tree_;
  ObjectNumber orphan_ = 0;
  FactsByPath facts_;
  FactsByState states_;
  std::size_t stores_ = 0;
  std::atomic<std::uint64_t> left_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> is_of_manifest_ = false;
  std::string failed_path_;
  bool is_done_ = false;
  bool has_later_ = false;
  bool is_refusing_ = false;
  bool is_joined_ = false;
};

struct JoinOutcomes {
  int failed = 0;
  int refusing = 0;  ///< of these, the view took no more changes
  int joined = 0;    ///< of these, at least one joined layer was in place after the next opening
};

JoinOutcomes fail_every_call(JoinFault fault) {
  JoinOutcomes outcomes;
  for (std::uint64_t call = 1;; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    std::optional<CrashLoss> loss;
    if (fault == JoinFault::kStop) {
      loss = kJoinLosses.at(call % kJoinLosses.size());
    } else if (call % 3 != 0) {
      loss = call % 3 == 1 ? CrashLoss::kDropUnsynced : CrashLoss::kRandomSubset;
    }
    JoinWithAFault run(fault);
    if (!run.run(call)) return outcomes;
    ++outcomes.failed;
    if (fault != JoinFault::kStop) run.expect_to_go_on();
    run.expect_whole_after(loss);
    outcomes.refusing += run.is_refusing() ? 1 : 0;
    outcomes.joined += run.is_joined() ? 1 : 0;
    if (testing::Test::HasFailure()) return outcomes;
  }
}

TEST(LiveJoinFaults, AnErrorOfTheDisk) {
  const auto outcomes = fail_every_call(JoinFault::kIo);
  EXPECT_GT(outcomes.failed, 100);
  EXPECT_GT(outcomes.refusing, 2);
  EXPECT_LT(outcomes.refusing, 20);
  EXPECT_GT(outcomes.joined, 10);
}

TEST(LiveJoinFaults, AFullDisk) {
  const auto outcomes = fail_every_call(JoinFault::kNoSpace);
  EXPECT_GT(outcomes.failed, 20);
  EXPECT_GT(outcomes.refusing, 2);
}

TEST(LiveJoinFaults, ALostSync) {
  const auto outcomes = fail_every_call(JoinFault::kLostSync);
  EXPECT_GT(outcomes.failed, 5);
  EXPECT_GT(outcomes.refusing, 1);
}

TEST(LiveJoinFaults, TheMachineStops) {
  const auto outcomes = fail_every_call(JoinFault::kStop);
  EXPECT_GT(outcomes.failed, 100);
  EXPECT_GT(outcomes.joined, 20);
  EXPECT_LT(outcomes.joined, outcomes.failed - 20);
}

}  // namespace
}  // namespace dgfs::test
