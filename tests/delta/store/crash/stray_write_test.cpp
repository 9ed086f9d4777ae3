// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A disk that reports success for a write that it has not made, or made at another place. The store
// answers rightly, or reports the damage with its place. When it is opened again, it has a prefix
// of the batches, or opening it fails.
//
// The prefix has all batches that were durable, except those in one group of the log. If the lost
// group was the last one, the log looks as if the machine had crashed before the write, and no
// other file of the store tells the difference. A write at another place may have hit the group
// before, with the same result. After a later sync was acknowledged, the store notices that the
// group is missing, or a checkpoint has its batches.
#include <gtest/gtest.h>

#include <array>

#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/store/crash/crash_workload.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;
using storage::FaultKind;

enum class Target : std::uint8_t { kLog, kSuperblocks, kOthers };

Target target_of(const std::string& path) {
  const auto name = storage::base_name(path);
  if (name.rfind("log.", 0) == 0) return Target::kLog;
  return name == "store" || name == "(unnamed)" ? Target::kSuperblocks : Target::kOthers;
}

// Counts of the results of the tried stores.
struct Outcomes {
  int right = 0;
  int refused = 0;  ///< opening failed
  int unreadable = 0;

  [[nodiscard]] bool has_both() const { return right + unreadable > 0 && refused + unreadable > 0; }
};

// Notes which batches were durable before and after the fault.
class DurableAround {
 public:
  void look(bool has_fired, std::size_t durable) {
    if (!has_fired) before_ = durable;
    if (has_fired && !after_) after_ = durable;
  }
  /// The state that a log must at least have if it lacks the group of the call with the fault.
  [[nodiscard]] std::size_t least(FaultKind kind, std::size_t durable) const {
    if (after_ && durable > *after_) return durable;
    return kind == FaultKind::kLostWrite ? before_ : 0;
  }

 private:
  std::size_t before_ = 0;  ///< before the call of the store in which the fault came
  std::optional<std::size_t> after_;
};

constexpr std::uint64_t kSeeds = 4;

class StrayWrite : public testing::TestWithParam<std::uint64_t> {
 protected:
  // Faults the n-th call at the target's files; false: there is none.
  bool try_call(bool is_sticky, FaultKind kind, Target target, std::uint64_t call,
                std::uint64_t round) {
    Random random((seed_ * 1009 + call) * 1009 + round);
    const auto disk = storage::make_memory_env(1);
    StoppingEnv stopping(*disk, 0);
    const auto faulty = storage::make_faulty_env(stopping.env(), random.seed());
    faulty->only_for([&](const std::string& path) { return target_of(path) == target; });
    faulty->arm({kind, call, is_sticky});
    DurableAround durable;
    bool is_ending = false;
    workload_.run_on(*faulty, 80, [&](std::size_t) {
      durable.look(faulty->fired() != 0, workload_.history().durable());
      if (faulty->fired() != 0 && !is_ending) stopping.stop_after(random.below(60));
      is_ending = faulty->fired() != 0;
    });
    if (faulty->fired() == 0) return faulty->calls() >= call;
    durable.look(true, workload_.history().durable());
    if (!random.one_in(4)) disk->crash(pick_loss(random), random.seed());
    const auto now = workload_.history().durable();
    expect_truth(*disk, target == Target::kLog ? durable.least(kind, now) : now);
    return true;
  }
  // Tries all calls. Takes several workloads if need be: a single one may write few superblocks,
  // for example, and miss none of them.
  void try_all(FaultKind kind, Target target, bool is_sticky = false) {
    constexpr std::uint64_t kRounds = 2;
    constexpr std::uint64_t kSeedsMax = 20;
    outcomes_ = {};
    for (std::uint64_t i = 0; !outcomes_.has_both(); ++i) {
      ASSERT_LT(i, kSeedsMax) << "no workload gave both outcomes";
      seed_ = GetParam() + i * kSeeds;
      workload_ = CrashWorkload(seed_);
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        for (std::uint64_t call = 1; try_call(is_sticky, kind, target, call, round); ++call) {
          ASSERT_FALSE(HasFailure()) << "call " << call << " at the target's files";
        }
      }
    }
  }

 private:
  static CrashLoss pick_loss(Random& random) {
    constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                    CrashLoss::kRandomSubset, CrashLoss::kScattered};
    return kLosses[random.below(kLosses.size())];
  }
  static void expect_damage(const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt) << error.message();
    EXPECT_NE(error.message().find("/s/"), std::string::npos) << error.message();
  }

  void expect_truth(storage::Env& disk, std::size_t least) {
    auto options = workload_.options();
    options.create = false;
    auto opened = delta::Store::open(disk, "/s", options);
    if (!opened) {
      ++outcomes_.refused;
      if (opened.error().kind() != ErrorKind::kNotFound || least != 0) {
        expect_damage(opened.error());
      }
      return;
    }
    const auto values = read_all(*opened.value());
    if (!values) {
      ++outcomes_.unreadable;
      return expect_damage(values.error());
    }
    ++outcomes_.right;
    const auto& history = workload_.history();
    EXPECT_TRUE(history.find(values.value(), 0)) << "the store never had these values";
    EXPECT_TRUE(history.find(values.value(), least)) << "the store has lost durable batches";
  }

  std::uint64_t seed_ = 0;
  CrashWorkload workload_{seed_};
  Outcomes outcomes_;
};

TEST_P(StrayWrite, OfAGroupIsMissedIfAnotherFollows) {
  for (const auto kind : {FaultKind::kLostWrite, FaultKind::kMisdirectedWrite}) {
    try_all(kind, Target::kLog);
  }
}

TEST_P(StrayWrite, OfASuperblockIsFoundByWhatTheOlderOneRefersTo) {
  for (const auto kind : {FaultKind::kLostWrite, FaultKind::kMisdirectedWrite}) {
    try_all(kind, Target::kSuperblocks);
  }
}

TEST_P(StrayWrite, OfAllSuperblocksIsFoundByWhatTheOlderOneRefersTo) {
  try_all(FaultKind::kLostWrite, Target::kSuperblocks, true);
}

TEST_P(StrayWrite, OfABlockIsFoundByItsChecksum) {
  for (const auto kind : {FaultKind::kLostWrite, FaultKind::kMisdirectedWrite}) {
    try_all(kind, Target::kOthers);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StrayWrite, testing::Range<std::uint64_t>(0, kSeeds));

}  // namespace
}  // namespace dgfs::test
