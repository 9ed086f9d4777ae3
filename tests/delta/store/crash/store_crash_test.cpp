// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at every storage call of a workload, and again at calls of the recovery. The
// seed chooses which unsynced bytes the disk keeps. The store that is opened afterwards has all
// batches up to one that is at least the last batch reported durable.
#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/store/crash/crash_explorer.h"
#include "tests/delta/store/crash/crash_sweep.h"
#include "tests/delta/store/crash/crash_workload.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;
using storage::FaultKind;

std::string name_of(FaultKind kind, std::uint64_t call) {
  return "call " + std::to_string(call) + ", fault " + std::to_string(static_cast<int>(kind));
}

class StoreCrashTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StoreCrashTest, KeepsAPrefixWithAllThatWasDurable) {
  const auto tally = sweep(GetParam(), 100);
  EXPECT_GT(tally.crash_points, 100U);
  RecordProperty("crash_points", static_cast<int>(tally.crash_points));
}

// Each batch whose apply() returned is in the store.
TEST_P(StoreCrashTest, KeepsEachBatchWithoutACommitInterval) {
  const auto tally = sweep(GetParam(), 20, CrashWorkload::Commits::kEachBatch);
  EXPECT_GT(tally.crash_points, 60U);
  RecordProperty("crash_points", static_cast<int>(tally.crash_points));
}

// One call fails, or all calls from one on for lack of space, and the store keeps working as far as
// it can. Some calls later the machine stops.
TEST_P(StoreCrashTest, OutlivesACallThatFails) {
  CrashWorkload workload(GetParam());
  for (const auto kind : {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kTornWrite,
                          FaultKind::kShortRead, FaultKind::kBitFlip}) {
    bool has_fired = true;
    for (std::uint64_t call = 1; has_fired; call += 1 + call / 8) {
      Random random(GetParam() * 100019 + call);
      const auto memory = storage::make_memory_env(1);
      const auto stopping = storage::make_faulty_env(*memory, random.seed());
      stopping->arm({FaultKind::kStop, call + 1 + random.below(80), true});
      const auto faulty = storage::make_faulty_env(*stopping, random.seed());
      faulty->arm({kind, call, kind == FaultKind::kNoSpace && random.one_in(2)});
      workload.run_on(*faulty, 200);
      has_fired = faulty->calls() >= call;
      const auto what = name_of(kind, call);
      ASSERT_FALSE(HasFailure()) << what;
      memory->crash(CrashLoss::kRandomSubset, random.seed());
      const auto store = open_store(*memory, workload.options());
      ASSERT_NE(store, nullptr) << what;
      ASSERT_TRUE(workload.history().find(values_of(*store))) << what;
      expect_sound(*memory);
    }
  }
}

// The disk is full from some batch on. A refused batch has not happened, an accepted one is not
// lost, and the store works as before once there is room again.
TEST_P(StoreCrashTest, OutlivesAFullDisk) {
  CrashWorkload workload(GetParam());
  Random random(GetParam());
  for (int round = 0; round < 20; ++round) {
    const auto memory = storage::make_memory_env(1);
    storage::MemoryEnv& disk = *memory;
    const auto stopping = storage::make_faulty_env(disk, random.seed());
    if (random.one_in(2)) stopping->arm({FaultKind::kStop, 100 + random.below(400), true});
    const std::size_t full_at = 20 + random.below(100);
    workload.run_on(*stopping, 200, [&](std::size_t batch) {
      if (batch == full_at) disk.set_capacity(1);
    });
    ASSERT_FALSE(HasFailure()) << "round " << round;
    disk.crash(CrashLoss::kRandomSubset, random.seed() + static_cast<std::uint64_t>(round));
    disk.set_capacity(std::uint64_t{1} << 40);
    const auto store = open_store(disk, workload.options());
    ASSERT_NE(store, nullptr) << "round " << round;
    ASSERT_TRUE(workload.history().find(values_of(*store))) << "round " << round;
    expect_sound(disk);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreCrashTest, testing::Range<std::uint64_t>(0, 16));

class FailingFile : public testing::TestWithParam<std::uint64_t> {
 protected:
  // Fails the n-th call at the file; false: there is none.
  bool try_call(const std::string& name, std::uint64_t call) {
    Random random(GetParam() * 100043 + call);
    const auto disk = storage::make_memory_env(1);
    StoppingEnv stopping(*disk, 0);
    const auto faulty = storage::make_faulty_env(stopping.env(), random.seed());
    faulty->only_for([&](const std::string& path) { return storage::base_name(path) == name; });
    const auto kind = random.one_in(2) ? FaultKind::kNoSpace : FaultKind::kTornWrite;
    faulty->arm({kind, call, !random.one_in(3)});
    const std::uint64_t calls = random.below(120);
    bool is_ending = false;
    workload_.run_on(*faulty, 150, [&](std::size_t) {
      if (faulty->fired() != 0 && !is_ending) stopping.stop_after(calls);
      is_ending = faulty->fired() != 0;
    });
    if (faulty->fired() == 0) return faulty->calls() >= call;
    disk->crash(CrashLoss::kRandomSubset, random.seed());
    expect_recovered(*disk, workload_.options(), workload_.history());
    return true;
  }
  // The names of the files of a store that lives without faults.
  std::vector<std::string> file_names() {
    const auto disk = storage::make_memory_env(1);
    workload_.run_on(*disk, 1);
    return disk->open_directory("/s").value()->list().value();
  }

  CrashWorkload workload_{GetParam()};
};

// Writes to one file fail, one of them or all from it on; writes to other files succeed.
// Checkpoints fail one after the other while the log goes on. Some calls later the machine stops.
TEST_P(FailingFile, IsOutlived) {
  for (const auto& name : file_names()) {
    for (std::uint64_t call = 1; try_call(name, call); ++call) {
      ASSERT_FALSE(HasFailure()) << name << ", call " << call << " at this file";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FailingFile, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace dgfs::test
