// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A crash at each storage call, or a full disk, interrupts a repair. The next repair mends the
// rest. Sound objects always keep their names.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "delta/view/check/namespace_check.h"
#include "delta/view/check/namespace_repair.h"
#include "storage/memory/crash_loss.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/view/check/random_damage.h"
#include "tests/delta/view/stepping_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/sealed_delta.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;
using storage::Fault;
using storage::FaultKind;

constexpr const char* kDelta = "/delta";
constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                CrashLoss::kRandomSubset, CrashLoss::kScattered};

// Each batch is durable by itself, so that a crash can come between any two.
delta::StoreOptions store_options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {1024, 4096, 4, 1 << 14, 256};
  options.table_bytes = 2048;
  options.dirty_bytes = 4096;
  options.level = 0;
  options.commit_interval = std::chrono::milliseconds(0);
  return options;
}

// A damaged delta, for one repair after the other.
class DamagedDelta {
 public:
  // Damages it at random.
  explicit DamagedDelta(std::uint64_t seed) {
    make();
    change(seed);
    if (seed % 2 == 1) seal();
    change(seed + 100);
    damage(seed);
  }
  // A directory has no name; nothing else is broken.
  DamagedDelta() {
    make();
    view::ObjectNumber lost = 0;
    with_view([&](view::View& view) {
      lost = value_of(view.make_directory(view::kRoot, "y", 0755, {})).object;
    });
    const auto delta = value_of(delta::DeltaDirectory::open(memory(), kDelta, store_options()));
    delta::Batch batch;
    batch.remove(view::key_of(view::RecordClass::kDentry, view::kRoot, "y"));
    batch.remove(view::name_key(lost, view::kRoot, "y"));
    for (const auto field : {view::field::kChildren, view::field::kLinkCount}) {
      batch.change_field(view::key_of(view::RecordClass::kAttributes, view::kRoot),
                         {field, delta::FieldOperation::kAdd, ~std::uint64_t{0}});
    }
    value_of(delta->newest().apply(batch));
    expect_ok(delta->close());
  }

  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }

  void crash(CrashLoss loss, std::uint64_t seed) {
    image_ = nullptr;
    memory().crash(loss, seed);
    image_ = tree_.open();
  }

  // Returns whether the repair reached its end.
  [[nodiscard]] Status repair(storage::Env& env) const {
    SteppingEnv clock(env);
    DGFS_TRY(delta, delta::DeltaDirectory::open(clock, kDelta, store_options()));
    const auto layers = view::generation_of(*image_, *delta);
    DGFS_CHECK(view::repair_namespace(layers, clock.now(), [](const auto&, auto) {}));
    return delta->close();
  }

  // The findings of the check, one per line.
  std::vector<std::string> broken() {
    std::vector<std::string> found;
    const auto delta = value_of(delta::DeltaDirectory::open(memory(), kDelta, store_options()));
    const auto layers = view::generation_of(*image_, *delta);
    expect_ok(view::check_namespace(layers, [&](const view::Finding& finding) {
      found.push_back(std::string(word_of(finding.rule)) + " " + std::to_string(finding.object) +
                      " " + finding.text);
    }));
    return found;
  }

  // Returns the number of paths that had to stay.
  std::size_t expect_mended() {
    EXPECT_EQ(broken(), std::vector<std::string>());
    std::size_t unchanged = 0;
    with_view([&](view::View& view) {
      unchanged = expect_unchanged(before_, named_objects(view), *damaged_);
    });
    return unchanged;
  }

 private:
  void make() {
    for (const char* directory : {"d", "e", "d/d"}) tree_.directory(directory);
    for (const char* file : {"f", "d/f", "d/g", "d/d/n"}) tree_.file(file, file);
    tree_.link("f", "d/h");
    tree_.pack();
    image_ = tree_.open();
    expect_ok(delta::DeltaDirectory::create(memory(), kDelta, image_->superblock().uuid,
                                            image_->superblock().next_inode, store_options(), 512));
  }
  template <class Use>
  void with_view(const Use& use) {
    SteppingEnv clock(memory());
    const auto delta = value_of(delta::DeltaDirectory::open(clock, kDelta, store_options()));
    const auto view = value_of(view::View::open(clock, *image_, *delta, {4, 64}));
    use(*view);
    end_ = view->end_of_objects();
    expect_ok(view->close());
  }
  void change(std::uint64_t seed) {
    with_view([&](view::View& view) { change_at_random(view, seed, 80); });
  }
  void seal() {
    SteppingEnv clock(memory());
    expect_ok(seal_delta(clock, kDelta, end_, store_options()));
  }
  void damage(std::uint64_t seed) {
    with_view([&](view::View& view) { before_ = named_objects(view); });
    const auto delta = value_of(delta::DeltaDirectory::open(memory(), kDelta, store_options()));
    Chance chance(seed);
    delta::Batch batch;
    damaged_ = damage_at_random(view::generation_of(*image_, *delta), chance, batch);
    value_of(delta->newest().apply(batch));
    expect_ok(delta->close());
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  view::ObjectNumber end_ = 0;
  std::map<std::string, NamedObject> before_;
  std::optional<DamagedRecords> damaged_;
};

// The second repair may crash, too.
std::size_t crash_at(std::uint64_t seed, std::uint64_t at_call, Chance& chance) {
  DamagedDelta damaged(seed);
  for (std::uint64_t stop : {at_call, chance.below(3) == 0 ? 1 + chance.below(60) : 0}) {
    if (stop == 0) continue;
    {
      StoppingEnv stopping(damaged.memory(), stop);
      static_cast<void>(damaged.repair(stopping.env()));
    }
    damaged.crash(kLosses.at(chance.below(kLosses.size())), chance.below(1'000'000));
  }
  expect_ok(damaged.repair(damaged.memory()));
  damaged.crash(CrashLoss::kDropUnsynced, 0);
  return damaged.expect_mended();
}

std::uint64_t calls_of_repair(std::uint64_t seed) {
  DamagedDelta damaged(seed);
  StoppingEnv counting(damaged.memory(), 0);
  expect_ok(damaged.repair(counting.env()));
  return counting.calls();
}

// Returns the number of paths that had to stay, summed over all runs.
std::size_t crash_everywhere(std::uint64_t seed, std::uint64_t stride) {
  const auto calls = calls_of_repair(seed);
  EXPECT_GT(calls, 50U) << seed;
  std::size_t unchanged = 0;
  Chance chance(seed);
  for (std::uint64_t at = 1; at <= calls && !testing::Test::HasFailure(); at += stride) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", call " + std::to_string(at));
    unchanged += crash_at(seed, at, chance);
  }
  return unchanged;
}

TEST(NamespaceCrash, LeavesWhatTheNextRepairMends) {
  std::size_t unchanged = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) unchanged += crash_everywhere(seed, 5);
  for (std::uint64_t seed = 2; seed < 14; ++seed) unchanged += crash_everywhere(seed, 29);
  EXPECT_GT(unchanged, 1000U);
}

TEST(NamespaceCrash, NeverLeavesMoreThanWasBroken) {
  ASSERT_EQ(DamagedDelta().broken().size(), 1U);
  std::size_t crashes = 0;
  for (bool is_mended = false; !is_mended; ++crashes) {
    DamagedDelta damaged;
    {
      StoppingEnv stopping(damaged.memory(), crashes + 1);
      static_cast<void>(damaged.repair(stopping.env()));
    }
    const auto broken = damaged.broken();
    EXPECT_LE(broken.size(), 1U) << crashes << testing::PrintToString(broken);
    is_mended = broken.empty();
  }
  EXPECT_GT(crashes, 10U);
}

TEST(NamespaceCrash, ADiskThatTakesNoMoreEndsTheRepair) {
  for (const FaultKind kind : {FaultKind::kNoSpace, FaultKind::kIoError, FaultKind::kLostSync}) {
    const auto calls = calls_of_repair(1);
    // Few calls are syncs.
    const std::uint64_t step = kind == FaultKind::kLostSync ? 2 : 7;
    std::size_t failed = 0;
    for (std::uint64_t at = 1; at <= calls && !testing::Test::HasFailure(); at += step) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", call " +
                   std::to_string(at));
      DamagedDelta damaged(1);
      {
        const auto faulty = storage::make_faulty_env(damaged.memory(), at);
        faulty->lose_with(
            [&](const std::string& path) { expect_ok(damaged.memory().lose_unsynced(path)); });
        faulty->arm({kind, at, kind != FaultKind::kLostSync});
        const auto repaired = damaged.repair(*faulty);
        if (!repaired) ++failed;
      }
      expect_ok(damaged.repair(damaged.memory()));
      EXPECT_GT(damaged.expect_mended(), 3U);
    }
    EXPECT_GT(failed, 1U) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace dgfs::test
