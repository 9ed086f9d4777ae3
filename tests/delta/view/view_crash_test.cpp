// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view that crashes at each storage call. Afterwards the view has a prefix of the operations,
// with all synced ones, and uses no object number twice.
#include <array>

#include "storage/memory/crash_loss.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/view/model/view_operations.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;

constexpr const char* kDelta = ViewedTree::kDelta;
constexpr int kSteps = 150;
constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                CrashLoss::kRandomSubset, CrashLoss::kScattered};

// Small, and without threads, so that each run makes the same storage calls.
delta::StoreOptions store_options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {1024, 4096, 4, 1 << 14, 256};
  options.table_bytes = 2048;
  options.dirty_bytes = 4096;
  options.level = 0;
  return options;
}

// One run, until it ends or the machine stops, with the states that may follow.
class CrashRun {
 public:
  CrashRun(std::uint64_t seed, std::uint64_t at_call) : random_(seed) {
    for (const char* directory : {"a", "b", "a/a"}) tree_.directory(directory);
    for (const char* file : {"f", "a/f", "a/a/f"}) tree_.file(file, file);
    tree_.pack();
    image_ = tree_.open();
    expect_ok(delta::DeltaDirectory::create(tree_.memory(), kDelta, image_->superblock().uuid,
                                            image_->superblock().next_inode, store_options(), 512));
    stopping_ = std::make_unique<StoppingEnv>(tree_.memory(), at_call);
    work();
  }

  [[nodiscard]] std::uint64_t calls() const { return stopping_->calls(); }

  // Crashes, and crashes again at a call of the opening, if it has so many.
  void crash(CrashLoss loss, std::uint64_t seed, std::uint64_t opening_call) {
    tree_.memory().crash(loss, seed);
    image_ = tree_.open();
    {
      StoppingEnv again(tree_.memory(), opening_call);
      SteppingEnv clock(again.env());
      const auto opened = delta::DeltaDirectory::open(clock, kDelta, store_options());
      if (opened) static_cast<void>(view::View::open(clock, *image_, *opened.value(), {4, 64}));
      if (!again.has_stopped()) return;
    }
    tree_.memory().crash(loss, seed + 1);
    image_ = tree_.open();
  }

  void expect_recovered() {
    SteppingEnv clock(tree_.memory());
    const auto delta = value_of(delta::DeltaDirectory::open(clock, kDelta, store_options()));
    const auto view = value_of(view::View::open(clock, *image_, *delta, {4, 64}));
    std::string found;
    for (std::size_t at = states_.size(); at-- > synced_;) {
      auto model = states_[at];
      model.end_unnamed();
      auto pairs = *pairs_;
      pairs.return_to(model);
      found = difference(*view, model, pairs);
      if (found.empty()) break;
    }
    EXPECT_EQ(found, "") << "and none of the states from " << synced_ << " on";
    const auto made = view->create(view::kRoot, "made after the crash", {}, {});
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_TRUE(pairs_->is_new(made.value().object)) << made.value().object;
    expect_ok(view->close());
  }

 private:
  void work() {
    SteppingEnv clock(stopping_->env());
    pairs_.emplace(ModelTree::of_image(*image_));
    states_.push_back(ModelTree::of_image(*image_));
    const auto delta = delta::DeltaDirectory::open(clock, kDelta, store_options());
    if (!delta) return;
    const auto view = view::View::open(clock, *image_, *delta.value(), {4, 64});
    if (!view) return;
    ViewOperations operations(*view.value(), *image_, clock, random_);
    operations.allow_refusals();
    for (int i = 0; i < kSteps && !stopping_->has_stopped(); ++i) {
      if (operations.step() == ViewOperations::Step::kAgreed) {
        states_.push_back(operations.model());
      }
      pairs_ = operations.pairs();
      if (random_.one_in(6) && view.value()->sync()) synced_ = states_.size() - 1;
    }
  }

  PackedTree tree_;
  Random random_;
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<StoppingEnv> stopping_;
  std::optional<ObjectPairs> pairs_;
  std::vector<ModelTree> states_;  ///< after each operation; the first is that of the image
  std::size_t synced_ = 0;         ///< a crash leaves that state, or a later one
};

void crash_everywhere(std::uint64_t seed, std::uint64_t stride) {
  const auto calls = CrashRun(seed, 0).calls();
  ASSERT_GT(calls, 100U);
  Random random(seed + 1000);
  for (std::uint64_t at = 1; at <= calls && !testing::Test::HasFailure(); at += stride) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", call " + std::to_string(at));
    CrashRun run(seed, at);
    run.crash(kLosses.at(random.below(kLosses.size())), random.below(1'000'000),
              random.one_in(3) ? 1 + random.below(30) : 0);
    run.expect_recovered();
  }
}

TEST(ViewCrash, LeavesABeginningOfWhatWasDone) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) crash_everywhere(seed, 1);
  for (std::uint64_t seed = 3; seed < 20; ++seed) crash_everywhere(seed, 11);
}

}  // namespace
}  // namespace dgfs::test
