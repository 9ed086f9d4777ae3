// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at storage calls of an update, or one of them fails. Afterwards the delta shows
// the tree of before, or that of the source, and the next opening leaves no other files. The slow
// set stops at every call (DGFS_EVERY_CALL).
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <ostream>
#include <set>

#include "delta/store/directory/states.h"
#include "storage/memory/crash_loss.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/update/updated_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;
using storage::FaultKind;
using Tree = std::map<std::string, std::string>;

constexpr std::array kUpdateLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                      CrashLoss::kRandomSubset, CrashLoss::kScattered};
// All of the last calls, among which the manifest changes, and so many of those before.
constexpr std::uint64_t kLastCalls = 120;
constexpr std::uint64_t kSampledUpdateCalls = 80;

/// What the delta has before the update.
struct UpdateShape {
  const char* name = "";
  bool has_state = false;    ///< its manifest knows states
  bool has_changes = false;  ///< its newest store has changes
  friend void PrintTo(const UpdateShape& shape, std::ostream* out) { *out << shape.name; }
};

class UpdateCrash : public testing::TestWithParam<UpdateShape> {
 protected:
  UpdateCrash() {
    for (const char* directory : {"d", "gone"}) tree_.source().directory(directory);
    tree_.source().file("a", pattern(3000, 1));
    tree_.source().file("d/b", "bytes");
    tree_.source().file("gone/x", "x");
    tree_.source().link("a", "d/a");
    tree_.pack();
    if (GetParam().has_state) {
      tree_.file("d/first", "first");
      tree_.update();
    }
    if (GetParam().has_changes) {
      tree_.changed().change([](view::View& view) { make_file(view, "mounted", "made"); });
    }
    tree_.file("d/new", pattern(2000, 2));
    tree_.write("a", 1000, "changed");
    tree_.remove("gone");
    before_ = tree_shown(tree_.memory());
    states_before_ = states(tree_.memory());
    const auto done = disk();
    value_of(update_on(*done));
    after_ = tree_shown(*done);
    states_after_ = states(*done);
    EXPECT_FALSE(before_ == after_);
  }

  std::unique_ptr<storage::MemoryEnv> disk() { return tree_.memory().snapshot(); }
  Result<update::UpdateReport> update_on(storage::Env& env) {
    return tree_.try_update(request_of(), &env);
  }
  static std::size_t states(storage::MemoryEnv& disk) {
    return delta::layers_of(value_of(delta::read_present_manifest(disk, UpdatedTree::kDelta)));
  }
  std::uint64_t count_calls() {
    const auto disk = this->disk();
    std::uint64_t calls = 0;
    HookEnv env(*disk, [&](storage::CallKind, const std::string&) -> Status {
      ++calls;
      return ok();
    });
    value_of(update_on(env));
    return calls;
  }
  static std::uint64_t step_before(std::uint64_t call, std::uint64_t calls) {
    const bool is_every = std::getenv("DGFS_EVERY_CALL") != nullptr || call + kLastCalls >= calls;
    return is_every ? 1 : std::max<std::uint64_t>(calls / kSampledUpdateCalls, 1);
  }

  /// @param may_be_new  the update may have been made
  void expect_old_or_new(storage::MemoryEnv& disk, bool may_be_new) {
    {
      delta::StoreOptions options;
      const auto opened = value_of(delta::DeltaDirectory::open(disk, UpdatedTree::kDelta, options));
      expect_ok(opened->close());
      expect_only_its_files(disk, opened->manifest());
    }
    const auto shown = tree_shown(disk);
    const bool is_old = shown == before_ && states(disk) == states_before_;
    const bool is_new = shown == after_ && states(disk) == states_after_;
    EXPECT_TRUE(is_old || (may_be_new && is_new)) << "new tree: " << (shown == after_);
    news_ += is_new ? 1 : 0;
    olds_ += is_old ? 1 : 0;
  }
  static void expect_only_its_files(storage::MemoryEnv& disk, const delta::Manifest& manifest) {
    std::set<std::string> expected = {"MANIFEST", "lock"};
    for (const auto& store : manifest.stores) expected.insert(store.name());
    const auto names = value_of(value_of(disk.open_directory(UpdatedTree::kDelta))->list());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
  }
  void fail_calls(FaultKind kind) {
    const auto calls = count_calls();
    for (std::uint64_t call = 1; call <= calls; call += step_before(call, calls)) {
      SCOPED_TRACE("call " + std::to_string(call));
      const auto disk = this->disk();
      const auto faulty = storage::make_faulty_env(*disk, call);
      faulty->arm({kind, call, false});
      const auto updated = update_on(*faulty);
      expect_old_or_new(*disk, true);
      if (updated) EXPECT_TRUE(tree_shown(*disk) == after_);
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(olds_, 0U);
    EXPECT_GT(news_, 0U);
  }

  UpdatedTree tree_;
  Tree before_;
  Tree after_;
  std::size_t states_before_ = 0;
  std::size_t states_after_ = 0;
  std::size_t olds_ = 0;
  std::size_t news_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Shapes, UpdateCrash,
                         testing::Values(UpdateShape{"New"}, UpdateShape{"Changed", false, true},
                                         UpdateShape{"WithState", true},
                                         UpdateShape{"WithStateAndChanges", true, true}),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST_P(UpdateCrash, LeavesTheOldTreeOrTheNewOne) {
  const auto calls = count_calls();
  for (std::uint64_t call = 1; call <= calls; call += step_before(call, calls)) {
    SCOPED_TRACE("call " + std::to_string(call));
    const auto disk = this->disk();
    std::uint64_t made = 0;
    HookEnv env(*disk, [&](storage::CallKind, const std::string& path) -> Status {
      if (++made < call) return ok();
      return Error(ErrorKind::kIo, 1131, "the machine has stopped").in_file(path);
    });
    static_cast<void>(update_on(env));
    for (const CrashLoss loss : kUpdateLosses) {
      const auto left = disk->snapshot();
      left->crash(loss, call);
      expect_old_or_new(*left, true);
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(olds_, 0U);
  EXPECT_GT(news_, 0U);
}

TEST_P(UpdateCrash, AnIoErrorLeavesTheOldTreeOrTheNewOne) { fail_calls(FaultKind::kIoError); }

TEST_P(UpdateCrash, AFullDiskLeavesTheOldTreeOrTheNewOne) { fail_calls(FaultKind::kNoSpace); }

TEST_P(UpdateCrash, ALostSyncLeavesTheOldTreeOrTheNewOne) { fail_calls(FaultKind::kLostSync); }

}  // namespace
}  // namespace dgfs::test
