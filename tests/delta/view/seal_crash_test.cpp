// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at each storage call of a seal of an open view, and of the opening after it,
// while other operations come between the calls. Afterwards the view has a prefix of the
// operations, with all that were durable, over the old stack or the new one.
#include <gtest/gtest-spi.h>

#include <array>
#include <atomic>
#include <thread>

#include "delta/store/directory/states.h"
#include "storage/memory/crash_loss.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/view/model/tree_dump.h"
#include "tests/delta/view/model/view_operations.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/hook_env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using storage::CrashLoss;

constexpr const char* kDelta = ViewedTree::kDelta;
constexpr int kSteps = 12;
constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                CrashLoss::kRandomSubset, CrashLoss::kScattered};
const view::ViewOptions kViewOptions = {4, 256};

// Without threads, and with so much room that no change waits: changes come inside of storage calls
// of the seal, on one thread, and a change that waited for the seal would wait for ever.
delta::StoreOptions store_options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {1024, 4096, 4, 1 << 20, 1 << 16};
  options.table_bytes = 1 << 20;
  options.dirty_bytes = 1 << 20;
  options.level = 0;
  return options;
}

class SealCrashRun {
 public:
  SealCrashRun(std::uint64_t seed, std::uint64_t at_call) : random_(seed) {
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
  [[nodiscard]] int nested() const { return nested_; }

  void crash(CrashLoss loss, std::uint64_t seed, std::uint64_t opening_call) {
    tree_.memory().crash(loss, seed);
    image_ = tree_.open();
    {
      StoppingEnv again(tree_.memory(), opening_call);
      SteppingEnv clock(again.env());
      const auto opened = delta::DeltaDirectory::open(clock, kDelta, store_options());
      if (opened) {
        static_cast<void>(view::View::open(clock, *image_, *opened.value(), kViewOptions));
      }
      if (!again.has_stopped()) return;
    }
    tree_.memory().crash(loss, seed + 1);
    image_ = tree_.open();
  }

  // Returns how many layers there are.
  std::size_t expect_recovered() {
    SteppingEnv clock(tree_.memory());
    const auto delta = value_of(delta::DeltaDirectory::open(clock, kDelta, store_options()));
    const auto view = value_of(view::View::open(clock, *image_, *delta, kViewOptions));
    const auto differs = [](const view::View& shown, const ModelTree& model,
                            const ObjectPairs& pairs) { return difference(shown, model, pairs); };
    EXPECT_TRUE(is_one_of(*view, synced_, states_.size(), differs))
        << "none of the states from " << synced_ << " on";
    const auto layers = delta::layers_of(delta->manifest());
    EXPECT_GE(layers, acknowledged_);
    EXPECT_LE(layers, seals_.size());
    const auto names_differ = [](const view::View& shown, const ModelTree& model,
                                 const ObjectPairs& pairs) {
      return difference_of_names(shown, model, pairs);
    };
    // A state is one of those between the begin and the end of its seal.
    for (std::size_t i = 0; i < layers; ++i) {
      const auto past = value_of(delta::DeltaDirectory::open_state(
          clock, kDelta, [&](const delta::Manifest&) -> Result<std::size_t> { return i + 1; },
          store_options()));
      const auto shown = value_of(view::View::open(clock, *image_, *past, kViewOptions));
      EXPECT_TRUE(
          is_one_of(*shown, seals_[i].begin, std::min(seals_[i].end, states_.size()), names_differ))
          << "state " << i;
    }
    const auto made = view->create(view::kRoot, "made after the crash", {}, {});
    EXPECT_TRUE(made) << made.error().message();
    if (made) {
      EXPECT_TRUE(pairs_->is_new(made.value().object)) << made.value().object;
    }
    expect_ok(view->close());
    return layers;
  }

 private:
  // The states that the layer may show: from `begin` on, before `end`. A value.
  struct Seal {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  template <class Differs>
  bool is_one_of(const view::View& view, std::size_t begin, std::size_t end,
                 const Differs& differs) {
    for (std::size_t at = end; at-- > begin;) {
      auto model = states_[at];
      model.end_unnamed();
      auto pairs = *pairs_;
      pairs.return_to(model);
      if (differs(view, model, pairs).empty()) return true;
    }
    return false;
  }

  void work() {
    HookEnv hooked(stopping_->env(), [this](CallKind kind, const std::string&) {
      if (kind != CallKind::kRead) between();
      return Status(ok());
    });
    SteppingEnv clock(hooked);
    pairs_.emplace(ModelTree::of_image(*image_));
    states_.push_back(ModelTree::of_image(*image_));
    const auto delta = delta::DeltaDirectory::open(clock, kDelta, store_options());
    if (!delta) return;
    const auto view = view::View::open(clock, *image_, *delta.value(), kViewOptions);
    if (!view) return;
    OperationLimits limits;
    limits.objects_max = 40;
    limits.value_bytes_max = 900;
    ViewOperations operations(*view.value(), *image_, clock, random_, limits);
    operations.allow_refusals();
    operations_ = &operations;
    for (int seal = 0; seal < 2 && !stopping_->has_stopped(); ++seal) {
      for (int i = 0; i < kSteps && !stopping_->has_stopped(); ++i) step();
      seals_.push_back({states_.size() - 1, SIZE_MAX});
      phase_ = Phase::kSealing;
      const auto sealed = view.value()->seal({"state-" + std::to_string(seal), {}});
      phase_ = Phase::kOther;
      seals_.back().end = states_.size();
      if (sealed && !stopping_->has_stopped()) {
        ++acknowledged_;
        synced_ = std::max(synced_, seals_.back().begin);
      }
      for (int i = 0; i < 2 && !stopping_->has_stopped(); ++i) step();
      if (!stopping_->has_stopped() && view.value()->sync() && !stopping_->has_stopped()) {
        synced_ = states_.size() - 1;
      }
      // The thread that closes the layer makes all storage calls from here on.
      phase_ = Phase::kClosing;
      while (!view.value()->closing_state()) std::this_thread::yield();
      phase_ = Phase::kOther;
    }
    operations_ = nullptr;
  }

  // The machine may stop at a read of the comparison, which then fails without a reason.
  void step() {
    testing::TestPartResultArray results;
    auto done = ViewOperations::Step::kDiffers;
    {
      const testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      done = operations_->step();
    }
    if (!stopping_->has_stopped()) {
      for (int i = 0; i < results.size(); ++i)
        ADD_FAILURE() << results.GetTestPartResult(i).message();
    }
    if (done == ViewOperations::Step::kAgreed || results.size() != 0) {
      states_.push_back(operations_->model());
    }
    pairs_ = operations_->pairs();
  }

  // Between two storage calls of a seal, or of the thread that closes the layer. That thread waits
  // for its turn, so that each run makes the same calls.
  void between() {
    const bool is_main = std::this_thread::get_id() == main_;
    while (!is_main && phase_ != Phase::kClosing) std::this_thread::yield();
    if (is_nested_ || phase_ != (is_main ? Phase::kSealing : Phase::kClosing)) return;
    if (stopping_->has_stopped() || nested_ > 60 || !random_.one_in(3)) return;
    is_nested_ = true;
    ++nested_;
    step();
    is_nested_ = false;
  }

  PackedTree tree_;
  Random random_;
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<StoppingEnv> stopping_;
  std::optional<ObjectPairs> pairs_;
  std::vector<ModelTree> states_;  ///< after each operation; the first is that of the image
  std::size_t synced_ = 0;         ///< a crash leaves that state, or a later one
  std::vector<Seal> seals_;
  std::size_t acknowledged_ = 0;  ///< seals that returned
  ViewOperations* operations_ = nullptr;
  enum class Phase : std::uint8_t { kOther, kSealing, kClosing };
  const std::thread::id main_ = std::this_thread::get_id();
  std::atomic<Phase> phase_ = Phase::kOther;
  bool is_nested_ = false;
  int nested_ = 0;
};

TEST(SealCrash, LeavesABeginningOfWhatWasDone) {
  std::array<int, 3> stacks{};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const SealCrashRun whole(seed, 0);
    ASSERT_GT(whole.calls(), 100U);
    EXPECT_GT(whole.nested(), 10);
    Random random(seed + 1000);
    for (std::uint64_t at = 1; at <= whole.calls() && !testing::Test::HasFailure();
         at += seed == 0 ? 1 : 3) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", call " + std::to_string(at));
      SealCrashRun run(seed, at);
      run.crash(kLosses.at(random.below(kLosses.size())), random.below(1'000'000),
                random.one_in(2) ? 1 + random.below(60) : 0);
      ++stacks.at(run.expect_recovered());
    }
  }
  for (const int count : stacks) EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace dgfs::test
