// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call of a merge into a base under a view fails in turn: when the base is made, when
// it is put below the view, and when what it replaces is removed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tests/delta/merge/live_tree.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using view::kRoot;
using view::ObjectNumber;

enum class LiveFault : std::uint8_t { kIo, kNoSpace, kLostSync };
enum class LiveStep : std::uint8_t { kMake, kPut, kEnd };

/// A merge of which one storage call fails.
class MergeWithAFault {
 public:
  explicit MergeWithAFault(LiveFault fault) : fault_(fault) {
    tree_.tree().directory("d");
    for (const char* name : {"d/f", "d/g", "gone", "open"}) tree_.tree().file(name, name);
    tree_.open();
    write_at(view(), tree_.object("d/f"), 0, "changed");
    make_file(view(), "new", std::string(2'000, 'n'));
    remove_name(view(), "gone");
    orphan_ = value_of(view().unlink(kRoot, "open")).object;
    unnamed_ = value_of(view().create_unnamed(kRoot, 0600, {})).object;
    write_at(view(), unnamed_, 0, "without a name");
    tree_.merge();  // so that there is an earlier base
    write_at(view(), tree_.object("d/g"), 2, "changed");
    tree_.seal();
    make_file(view(), "meanwhile", "made after the seal");
    expect_ok(view().sync());
    names_ = facts_below(view());
    tree_.set_hook([this](CallKind kind, const std::string& path) { return before(kind, path); });
  }

  /// @param call  of the step that fails, from 1 on
  /// Returns whether the step has so many calls.
  bool run(LiveStep step, std::uint64_t call) {
    if (step == LiveStep::kMake) left_ = call;
    auto made = tree_.try_make();
    left_ = 0;
    if (step == LiveStep::kMake) expect_made_or_not(made);
    if (!made) return has_failed_;
    if (step == LiveStep::kPut) left_ = call;
    const auto put = tree_.try_put(made.value());
    left_ = 0;
    is_put_ = put.has_value();
    EXPECT_TRUE(put || has_failed_);
    if (put && step == LiveStep::kEnd) left_ = call;
    if (put) static_cast<void>(view().end_merge());
    left_ = 0;
    return has_failed_;
  }

  /// Expects that the view goes on; only after the manifest was written, or if its own store has
  /// failed, does it refuse changes.
  void expect_to_go_on() {
    EXPECT_EQ(facts_below(view()), names_);
    EXPECT_EQ(value_of(view().attributes(orphan_)).link_count, 0U);
    EXPECT_EQ(content_of(view(), orphan_), "open");
    EXPECT_EQ(content_of(view(), unnamed_), "without a name");
    const auto later = view().create(kRoot, "later", {}, {});
    has_later_ = later && view().sync();
    if (!has_failed_ || is_put_) {
      EXPECT_TRUE(has_later_);
    } else if (wrote_manifest_) {
      EXPECT_FALSE(later);
    } else if (!is_of_live_store_) {
      EXPECT_TRUE(has_later_) << failed_path_ << ": the manifest was not written";
    }
    is_refusing_ = !later;
  }

  void expect_whole_after(const std::optional<storage::CrashLoss>& loss) {
    tree_.set_hook({});
    loss ? tree_.reopen_after_crash(*loss) : tree_.reopen_after_failure();
    auto names = facts_below(view());
    if (has_later_) {
      EXPECT_EQ(names.erase("later"), 1U);
      EXPECT_NE(names["/"], names_["/"]);
      names["/"] = names_["/"];
    } else if (names.erase("later") != 0) {
      names["/"] = names_["/"];
    }
    EXPECT_EQ(names, names_);
    for (const auto object : {orphan_, unnamed_}) {
      EXPECT_EQ(kind_of(view().attributes(object)), ErrorKind::kNotFound);
    }
    tree_.expect_sound();
    const auto& base = tree_.delta().manifest().base;
    EXPECT_TRUE(base);
    // The base, its index, and earlier bases with contents that it needs.
    EXPECT_EQ(tree_.count_files("base."), base ? 2 + base->kept.size() : 0);
    EXPECT_EQ(tree_.count_files(".base."), 0U);
    tree_.merge();
    tree_.expect_same_after_reopening();
  }

  [[nodiscard]] bool is_refusing() const { return is_refusing_; }
  [[nodiscard]] bool is_put() const { return is_put_; }

 private:
  [[nodiscard]] view::View& view() { return tree_.view(); }
  void expect_made_or_not(const Result<merge::MadeBase>& made) {
    EXPECT_TRUE(made || has_failed_);
    if (made) return;
    EXPECT_LE(tree_.count_files("base."), 2U) << "the new base is still there";
  }
  [[nodiscard]] bool counts(CallKind kind) const {
    switch (fault_) {
      case LiveFault::kIo:
        return true;
      case LiveFault::kNoSpace:
        return kind == CallKind::kCreate || kind == CallKind::kPublish ||
               kind == CallKind::kWrite || kind == CallKind::kSync || kind == CallKind::kLink ||
               kind == CallKind::kAllocate;
      case LiveFault::kLostSync:
        return kind == CallKind::kSync;
    }
    return false;
  }
  Status before(CallKind kind, const std::string& path) {
    const bool is_manifest = path.ends_with("/MANIFEST");
    if (left_ != 0 && kind == CallKind::kWrite && is_manifest) wrote_manifest_ = true;
    if (left_ == 0 || !counts(kind) || --left_ != 0) return ok();
    has_failed_ = true;
    failed_path_ = path;
    is_of_live_store_ =
        path.find("/store.") != std::string::npos || path.find("/0") != std::string::npos;
    if (fault_ == LiveFault::kLostSync) static_cast<void>(tree_.memory().lose_unsynced(path));
    return Error(fault_ == LiveFault::kNoSpace ? ErrorKind::kNoSpace : ErrorKind::kIo, 1133,
                 "a fault")
        .in_file(path);
  }

  const LiveFault fault_;
  LiveTree tree_;
  ObjectNumber orphan_ = 0;
  ObjectNumber unnamed_ = 0;
  std::map<std::string, std::string> names_;
  std::atomic<std::uint64_t> left_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> wrote_manifest_ = false;
  std::string failed_path_;
  bool is_of_live_store_ = false;
  bool is_put_ = false;
  bool has_later_ = false;
  bool is_refusing_ = false;
};

struct FaultOutcomes {
  int failed = 0;
  int refusing = 0;  ///< of these, the view took no more changes
  int put = 0;       ///< of these, the base was put in place nevertheless
};

FaultOutcomes fail_every_call(LiveFault fault, LiveStep step) {
  FaultOutcomes outcomes;
  for (std::uint64_t call = 1;; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    std::optional<storage::CrashLoss> loss;
    if (call % 3 == 1) loss = storage::CrashLoss::kDropUnsynced;
    if (call % 3 == 2) loss = storage::CrashLoss::kRandomSubset;
    MergeWithAFault run(fault);
    if (!run.run(step, call)) return outcomes;
    ++outcomes.failed;
    run.expect_to_go_on();
    outcomes.refusing += run.is_refusing() ? 1 : 0;
    outcomes.put += run.is_put() ? 1 : 0;
    run.expect_whole_after(loss);
    if (testing::Test::HasFailure()) return outcomes;
  }
}

class LiveMergeFaults : public testing::TestWithParam<LiveFault> {};

INSTANTIATE_TEST_SUITE_P(Faults, LiveMergeFaults,
                         testing::Values(LiveFault::kIo, LiveFault::kNoSpace, LiveFault::kLostSync),
                         [](const auto& fault) {
                           switch (fault.param) {
                             case LiveFault::kIo:
                               return "Io";
                             case LiveFault::kNoSpace:
                               return "NoSpace";
                             case LiveFault::kLostSync:
                               return "LostSync";
                           }
                           return "";
                         });

TEST_P(LiveMergeFaults, OfMakingTheBaseLeaveTheOldStack) {
  const auto outcomes = fail_every_call(GetParam(), LiveStep::kMake);
  EXPECT_GT(outcomes.failed, GetParam() == LiveFault::kLostSync ? 2 : 10);
  EXPECT_EQ(outcomes.refusing, 0);
}

TEST_P(LiveMergeFaults, OfTheSwitchLeaveAWholeTree) {
  const auto outcomes = fail_every_call(GetParam(), LiveStep::kPut);
  EXPECT_GT(outcomes.failed, 2);
  EXPECT_GT(outcomes.refusing, 1);
}

TEST_P(LiveMergeFaults, OfCleaningUpLeaveFilesAtMost) {
  const auto outcomes = fail_every_call(GetParam(), LiveStep::kEnd);
  EXPECT_GT(outcomes.failed, 0);
  EXPECT_EQ(outcomes.put, outcomes.failed);
  EXPECT_EQ(outcomes.refusing, 0);
}

}  // namespace
}  // namespace dgfs::test
