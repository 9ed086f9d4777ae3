// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at storage calls of merges into bases, under a view and between openings, and
// of the opening after it, while other operations come between the calls. Afterwards the view has a
// prefix of the operations, with all that were durable, over the old base or the new one. The
// opening leaves no file but those of the manifest, and those that are not the delta's. The slow
// set stops at every call (DGFS_EVERY_CALL).
#include <gtest/gtest-spi.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "delta/merge/offline_merge.h"
#include "delta/store/directory/states.h"
#include "storage/memory/crash_loss.h"
#include "tests/delta/merge/based_tree.h"
#include "tests/delta/view/model/view_operations.h"
#include "tests/support/hook_env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using storage::CrashLoss;

constexpr const char* kCrashDelta = "/delta";
constexpr int kStepsBefore = 12;
constexpr std::uint64_t kSampledCalls = 160;  // of each seed
constexpr std::array kCrashLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                     CrashLoss::kRandomSubset, CrashLoss::kScattered};
const view::ViewOptions kCrashViewOptions = {4, 256};
// Like names that merges make, and others.
const std::set<std::string> kForeignFiles = {"notes.txt",          "base.txt", "base.1.dgfs",
                                             "base.0001.dgfs.bak", "0001.old", ".notes"};

// Without threads, and with so much room that no change waits: changes come inside of storage calls
// of the merge, on one thread.
delta::StoreOptions crash_store_options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {1024, 4096, 4, 1 << 20, 1 << 16};
  options.table_bytes = 1 << 20;
  options.dirty_bytes = 1 << 20;
  options.level = 0;
  return options;
}

bool stops_at_every_call() { return std::getenv("DGFS_EVERY_CALL") != nullptr; }

// A machine that stops at a call, counted from 1; 0: never. Calls may come from several threads.
class StoppingMachine {
 public:
  StoppingMachine(storage::Env& base, std::uint64_t at_call, HookEnv::Hook between = {})
      : at_call_(at_call),
        between_(std::move(between)),
        env_(base, [this](CallKind kind, const std::string& path) { return pass(kind, path); }) {}
  [[nodiscard]] storage::Env& env() { return env_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] bool has_stopped() const { return at_call_ != 0 && calls_ >= at_call_; }

 private:
  Status pass(CallKind kind, const std::string& path) {
    const auto call = ++calls_;
    if (at_call_ != 0 && call >= at_call_) {
      return Error(ErrorKind::kIo, 1131, "the machine has stopped").in_file(path);
    }
    return between_ ? between_(kind, path) : ok();
  }

  const std::uint64_t at_call_;
  const HookEnv::Hook between_;
  std::atomic<std::uint64_t> calls_ = 0;
  HookEnv env_;
};

/// A delta in which something was done until the machine stopped, and what may be left of it.
class BaseCrash {
 public:
  explicit BaseCrash(std::uint64_t seed) : random_(seed) {
    for (const char* directory : {"a", "b", "a/a"}) tree_.directory(directory);
    for (const char* file : {"f", "a/f", "a/a/f"}) tree_.file(file, file);
    tree_.link("f", "b/f");
    tree_.pack();
    const auto image = tree_.open();
    first_.emplace(ModelTree::of_image(*image));
    expect_ok(delta::DeltaDirectory::create(memory(), kCrashDelta, image->superblock().uuid,
                                            image->superblock().next_inode, crash_store_options(),
                                            512));
    const auto directory = value_of(memory().open_directory(kCrashDelta));
    for (const std::string& name : kForeignFiles) {
      const auto file = value_of(directory->create_file(name, 0600));
      expect_ok(file->write_at(0, as_bytes(name)));
      expect_ok(file->sync());
    }
    expect_ok(memory().sync_directory(kCrashDelta));
    pairs_.emplace(*first_);
    states_.push_back(*first_);
  }
  virtual ~BaseCrash() = default;
  BaseCrash(const BaseCrash&) = delete;
  BaseCrash& operator=(const BaseCrash&) = delete;

  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] int nested() const { return nested_; }

  void crash(CrashLoss loss, std::uint64_t seed, std::uint64_t opening_call) {
    memory().crash(loss, seed);
    {
      StoppingMachine again(memory(), opening_call);
      SteppingEnv clock(again.env());
      static_cast<void>(open(clock));
      if (!again.has_stopped()) return;
    }
    memory().crash(loss, seed + 1);
  }

  // Returns how many bases were put in place.
  std::size_t expect_recovered() {
    SteppingEnv clock(memory());
    std::size_t bases = 0;
    std::optional<ModelTree> found;
    const bool goes_on = random_.one_in(4);
    {
      const auto opened = value_of(open(clock));
      found = state_of(*opened.view);
      EXPECT_TRUE(found) << "none of the states from " << synced_ << " on";
      const auto& manifest = opened.delta->manifest();
      // Each merge takes another state into the next base.
      bases = manifest.base ? 1 + manifest.absorbed.size() : 0;
      EXPECT_GE(bases, bases_in_place_);
      EXPECT_LE(bases, bases_begun_);
      expect_only_its_files(clock, manifest);
      if (!goes_on) expect_new_number(*opened.view);
      expect_ok(opened.view->close());
    }
    if (goes_on && found) expect_merge_goes_on(clock, *found);
    return bases;
  }

 protected:
  struct Opened {
    std::unique_ptr<delta::DeltaDirectory> delta;
    std::unique_ptr<view::View> view;
  };
  static Result<Opened> open(storage::Env& env) {
    Opened opened;
    DGFS_TRY(delta, delta::DeltaDirectory::open(env, kCrashDelta, crash_store_options()));
    opened.delta = std::move(delta);
    DGFS_TRY(bottom, open_bottom(env, kCrashDelta, opened.delta->manifest()));
    DGFS_TRY(view, view::View::open(env, std::move(bottom), *opened.delta, kCrashViewOptions));
    opened.view = std::move(view);
    return opened;
  }
  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }
  static OperationLimits limits() {
    OperationLimits limits;
    limits.objects_max = 40;
    limits.value_bytes_max = 900;
    return limits;
  }

  // The machine may stop at a read of the comparison, which then fails without a reason.
  void step(ViewOperations& operations, const StoppingMachine& machine) {
    testing::TestPartResultArray results;
    auto done = ViewOperations::Step::kDiffers;
    {
      const testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      done = operations.step();
    }
    if (!machine.has_stopped()) {
      for (int i = 0; i < results.size(); ++i) {
        ADD_FAILURE() << results.GetTestPartResult(i).message();
      }
    }
    if (done == ViewOperations::Step::kAgreed || results.size() != 0) {
      states_.push_back(operations.model());
    }
    pairs_ = operations.pairs();
  }

  PackedTree tree_;
  Random random_;
  std::optional<ModelTree> first_;
  std::optional<ObjectPairs> pairs_;
  std::vector<ModelTree> states_;   ///< after each operation; the first is that of the image
  std::size_t synced_ = 0;          ///< a crash leaves that state, or a later one
  std::size_t bases_begun_ = 0;     ///< that may be in place
  std::size_t bases_in_place_ = 0;  ///< whose calls returned
  std::uint64_t calls_ = 0;
  int nested_ = 0;

 private:
  void expect_new_number(view::View& view) {
    const auto made = view.create(view::kRoot, "made after the crash", {}, {});
    EXPECT_TRUE(made) << made.error().message();
    if (made) {
      EXPECT_TRUE(pairs_->is_new(made.value().object)) << made.value().object;
    }
  }

  void expect_only_its_files(storage::Env& env, const delta::Manifest& manifest) {
    const auto left = leftovers_in(env, kCrashDelta, manifest, kForeignFiles);
    EXPECT_TRUE(left.empty()) << *left.begin();
    const auto files = tree_below(*value_of(env.open_directory(kCrashDelta)));
    for (const std::string& name : kForeignFiles) {
      const auto found = files.find(name);
      EXPECT_TRUE(found != files.end() && found->second == name) << name;
    }
  }

  void expect_merge_goes_on(storage::Env& env, const ModelTree& model) {
    const auto merged =
        merge::merge_offline(env, base_source(kCrashDelta), {}, base_build_options());
    EXPECT_TRUE(merged || merged.error().kind() == ErrorKind::kInvalidArgument)
        << merged.error().message();  // there may be nothing to merge
    const auto opened = value_of(open(env));
    EXPECT_EQ(difference_from(*opened.view, model), "");
    expect_only_its_files(env, opened.delta->manifest());
    expect_new_number(*opened.view);
    expect_ok(opened.view->close());
  }

  // Merges count blocks anew.
  [[nodiscard]] std::string difference_from(const view::View& view, ModelTree model) const {
    model.end_unnamed();
    auto pairs = *pairs_;
    pairs.return_to(model);
    return difference(view, model, pairs, {.has_blocks = false});
  }

  [[nodiscard]] std::optional<ModelTree> state_of(const view::View& view) const {
    for (std::size_t at = states_.size(); at-- > synced_;) {
      if (difference_from(view, states_[at]).empty()) return states_[at];
    }
    return std::nullopt;
  }
};

/// Two merges of a view in a row, step by step.
class LiveBaseCrash final : public BaseCrash {
 public:
  LiveBaseCrash(std::uint64_t seed, std::uint64_t at_call) : BaseCrash(seed) {
    machine_ = std::make_unique<StoppingMachine>(
        memory(), at_call, [this](CallKind kind, const std::string& /*path*/) {
          if (kind != CallKind::kRead) between();
          return Status(ok());
        });
    work();
    calls_ = machine_->calls();
    machine_ = nullptr;
  }

 private:
  void work() {
    SteppingEnv clock(machine_->env());
    const auto opened = open(clock);
    if (!opened) return;
    auto& view = *opened.value().view;
    const auto image = tree_.open();
    ViewOperations operations(view, *image, clock, random_, limits());
    operations.allow_refusals();
    operations.compare_blocks(false);
    operations_ = &operations;
    for (int merge = 0; merge < 2 && !machine_->has_stopped(); ++merge) {
      steps(kStepsBefore);
      merge_once(clock, *opened.value().delta, view);
      steps(2);
      sync(view);
    }
    operations_ = nullptr;
  }

  void merge_once(storage::Env& env, const delta::DeltaDirectory& delta, view::View& view) {
    if (!view.seal({})) return;
    while (!view.closing_state()) std::this_thread::yield();
    if (machine_->has_stopped()) return;
    steps(2);
    if (random_.one_in(2)) sync(view);
    is_merging_ = true;
    const auto made = make_live_base(env, view, kCrashDelta, 1, rules());
    is_merging_ = false;
    if (!made) return;
    steps(2);
    const auto durable = states_.size() - 1;
    ++bases_begun_;
    is_merging_ = true;
    const auto put = put_live_base(env, view, delta, kCrashDelta, made.value());
    is_merging_ = false;
    if (!put || machine_->has_stopped()) return;
    ++bases_in_place_;
    synced_ = std::max(synced_, durable);
    steps(2);
    is_merging_ = true;
    static_cast<void>(view.end_merge());
    is_merging_ = false;
  }

  [[nodiscard]] merge::RepackRules rules() {
    merge::RepackRules rules;
    rules.all = random_.one_in(3);
    return rules;
  }
  void steps(int count) {
    for (int i = 0; i < count && !machine_->has_stopped(); ++i) step(*operations_, *machine_);
  }
  void sync(view::View& view) {
    const auto last = states_.size() - 1;
    if (!machine_->has_stopped() && view.sync() && !machine_->has_stopped()) synced_ = last;
  }
  void between() {
    if (std::this_thread::get_id() != main_ || !is_merging_ || is_nested_) return;
    if (machine_->has_stopped() || nested_ > 60 || !random_.one_in(3)) return;
    is_nested_ = true;
    ++nested_;
    step(*operations_, *machine_);
    is_nested_ = false;
  }

  std::unique_ptr<StoppingMachine> machine_;
  ViewOperations* operations_ = nullptr;
  const std::thread::id main_ = std::this_thread::get_id();
  bool is_merging_ = false;
  bool is_nested_ = false;
};

/// A view is killed, and its delta is merged.
class OfflineBaseCrash final : public BaseCrash {
 public:
  OfflineBaseCrash(std::uint64_t seed, std::uint64_t at_call) : BaseCrash(seed) {
    change();
    if (random_.one_in(2)) {
      ++bases_begun_;
      ++bases_in_place_;
      value_of(merge::merge_offline(memory(), base_source(kCrashDelta), {}, base_build_options()));
      // The view of the model goes on over the base.
      states_ = {states_.back()};
      states_.back().end_unnamed();
    }
    ++bases_begun_;
    StoppingMachine machine(memory(), at_call);
    const auto merged =
        merge::merge_offline(machine.env(), base_source(kCrashDelta), {}, base_build_options());
    if (merged && !machine.has_stopped()) ++bases_in_place_;
    calls_ = machine.calls();
    synced_ = 0;
  }

 private:
  void change() {
    const StoppingMachine machine(memory(), 0);
    SteppingEnv clock(memory());
    const auto opened = value_of(open(clock));
    ViewOperations operations(*opened.view, *opened.view->image(), clock, random_, limits());
    for (int i = 0; i < 2 * kStepsBefore; ++i) step(operations, machine);
    expect_ok(opened.view->sync());
    states_ = {states_.back()};
  }
};

// Runs it until it stops at some calls, or at each. Returns how often which number of bases was in
// place.
template <class Run>
std::array<int, 4> crash_at_calls(std::uint64_t seed, std::uint64_t calls) {
  std::array<int, 4> bases{};
  Random random(seed + 1000);
  const auto stride = stops_at_every_call() ? 1 : std::max<std::uint64_t>(1, calls / kSampledCalls);
  for (std::uint64_t at = 1 + random.below(stride); at <= calls && !testing::Test::HasFailure();
       at += stride) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", call " + std::to_string(at));
    Run run(seed, at);
    run.crash(kCrashLosses.at(random.below(kCrashLosses.size())), random.below(1'000'000),
              random.one_in(2) ? 1 + random.below(80) : 0);
    ++bases.at(run.expect_recovered());
  }
  return bases;
}

TEST(BaseCrashTest, OfAViewLeavesABeginningOfWhatWasDone) {
  std::array<int, 4> all{};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const LiveBaseCrash whole(seed, 0);
    ASSERT_GT(whole.calls(), 200U);
    EXPECT_GT(whole.nested(), 10);
    const auto bases = crash_at_calls<LiveBaseCrash>(seed, whole.calls());
    for (std::size_t i = 0; i < all.size(); ++i) all.at(i) += bases.at(i);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(all.at(i), 10) << i;
}

TEST(BaseCrashTest, BetweenOpeningsLeavesTheTree) {
  std::array<int, 4> all{};
  for (std::uint64_t seed = 10; seed < 13; ++seed) {
    const OfflineBaseCrash whole(seed, 0);
    ASSERT_GT(whole.calls(), 100U);
    const auto bases = crash_at_calls<OfflineBaseCrash>(seed, whole.calls());
    for (std::size_t i = 0; i < all.size(); ++i) all.at(i) += bases.at(i);
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_GT(all.at(i), 5) << i;
}

}  // namespace
}  // namespace dgfs::test
