// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at every storage call of a workload, and again at calls of the recovery. What
// the disk keeps of what was not synced is chosen by seed. The store that is opened afterwards has
// all batches up to some one, which is not before the last one that was told to be durable.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "storage/faulty_env.h"
#include "storage/memory_env.h"
#include "tests/delta/random_batch.h"
#include "tests/delta/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;
using storage::FaultKind;

using Values = std::map<std::string, std::string>;

// What a store was made to do, and what it said of it.
class Workload {
 public:
  explicit Workload(std::uint64_t seed) : seed_(seed) {
    Random random(seed);
    options_ = tiny_options(random);
    shape_.keys = 10 + random.below(100);
  }

  [[nodiscard]] const StoreOptions& options() const { return options_; }

  /// Until all is done or something fails. The same calls each time.
  void run(storage::Env& env, std::size_t batches) {
    Random random(seed_ + 1);
    states_ = {Values()};
    durable_ = 0;
    auto opened = Store::open(env, "/s", options_);
    if (!opened) return;
    const auto store = std::move(opened).value();
    StoreModel model;
    for (std::size_t i = 0; i < batches; ++i) {
      const auto batch = random_batch(random, shape_);
      model.apply(batch);
      // A batch whose call fails may yet be there: what failed may be a sync before or after it.
      states_.push_back(model.values());
      if (!store->apply(batch)) return;
      const auto before = states_.size() - 1;
      if (random.one_in(4)) {
        if (!store->sync()) return;
        durable_ = before;
      }
      if (random.one_in(12) && !store->maintain()) return;
      if (random.one_in(20)) {
        if (!store->checkpoint()) return;
        durable_ = before;
      }
    }
  }
  /// The same, but what fails is passed over: a batch that is refused has not happened. What the
  /// store answers meanwhile is right, or an error.
  /// @param before_batch  is told which one comes
  void run_on(
      storage::Env& env, std::size_t batches,
      const std::function<void(std::size_t)>& before_batch = [](std::size_t) {}) {
    Random random(seed_ + 1);
    states_ = {Values()};
    durable_ = 0;
    auto opened = Store::open(env, "/s", options_);
    if (!opened) return;
    const auto store = std::move(opened).value();
    StoreModel model;
    for (std::size_t i = 0; i < batches; ++i) {
      before_batch(i);
      const auto batch = random_batch(random, shape_);
      if (store->apply(batch)) {
        model.apply(batch);
        states_.push_back(model.values());
      }
      const auto before = states_.size() - 1;
      if (random.one_in(4) && store->sync()) durable_ = before;
      if (random.one_in(12)) static_cast<void>(store->maintain());
      if (random.one_in(20) && store->checkpoint()) durable_ = before;
      const auto key = random_key(random, shape_);
      const auto found = store->get(key);
      if (!found) continue;
      const auto at = model.values().find(key);
      ASSERT_EQ(found.value().has_value(), at != model.values().end()) << key;
      if (found.value()) {
        ASSERT_EQ(*found.value(), at->second) << key;
      }
    }
  }
  /// Which of the states, from the last durable one on, these are; none: no value.
  [[nodiscard]] std::optional<std::size_t> find(const Values& values) const {
    for (auto at = durable_; at < states_.size(); ++at) {
      if (states_[at] == values) return at;
    }
    return std::nullopt;
  }

 private:
  std::uint64_t seed_;
  StoreOptions options_;
  BatchShape shape_;
  std::vector<Values> states_;  ///< after each batch
  std::size_t durable_ = 0;
};

// Stops at a call of an opening of the store, which may do a whole recovery; false: it had fewer.
bool stop_while_opening(storage::MemoryEnv& memory, const StoreOptions& options, std::uint64_t call,
                        std::uint64_t seed) {
  const auto faulty = storage::make_faulty_env(memory, seed);
  faulty->arm({FaultKind::kStop, call, true});
  static_cast<void>(Store::open(*faulty, "/s", options));
  const bool has_stopped = faulty->fired() != 0;
  memory.crash(CrashLoss::kRandomSubset, seed);
  return has_stopped;
}

std::string name_of(FaultKind kind, std::uint64_t call) {
  return "call " + std::to_string(call) + ", fault " + std::to_string(static_cast<int>(kind));
}

class StoreCrashTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StoreCrashTest, KeepsAPrefixWithAllThatWasDurable) {
  constexpr std::size_t kBatches = 100;
  Workload workload(GetParam());
  bool has_stopped = true;
  std::uint64_t call = 0;
  while (has_stopped) {
    ++call;
    const auto seed = GetParam() * 100003 + call;
    const auto memory = storage::make_memory_env(1);
    const auto faulty = storage::make_faulty_env(*memory, seed);
    faulty->arm({FaultKind::kStop, call, true});
    workload.run(*faulty, kBatches);
    has_stopped = faulty->fired() != 0;
    memory->crash(seed % 5 == 0 ? CrashLoss::kDropUnsynced : CrashLoss::kRandomSubset, seed);
    // Recoveries that are cut short themselves, each at a later call.
    Random random(seed);
    for (auto times = random.below(3); times > 0; --times) {
      if (!stop_while_opening(*memory, workload.options(), 1 + random.below(60), seed + times)) {
        break;
      }
    }
    const auto store = open_store(*memory, workload.options());
    ASSERT_NE(store, nullptr) << "call " << call;
    const auto values = values_of(*store);
    ASSERT_TRUE(workload.find(values)) << "call " << call;
    // Work goes on.
    Batch batch;
    batch.put("after", "the crash");
    ASSERT_TRUE(store->apply(batch));
    ASSERT_TRUE(store->checkpoint());
    EXPECT_EQ(*store->get("after").value(), "the crash");
    expect_sound(*memory);
    if (HasFailure()) {
      FAIL() << "call " << call;
    }
  }
  EXPECT_GT(call, 100U);
  RecordProperty("calls", static_cast<int>(call));
}

// One call fails, or all from some one on for want of space, and the store goes on as well as it
// may; some calls later the machine stops.
TEST_P(StoreCrashTest, OutlivesACallThatFails) {
  Workload workload(GetParam());
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
      ASSERT_TRUE(workload.find(values_of(*store))) << what;
      expect_sound(*memory);
    }
  }
}

// The disk is full from some batch on: what is refused has not happened, what was taken in is not
// lost, and the store is as good as ever when there is room again.
TEST_P(StoreCrashTest, OutlivesAFullDisk) {
  Workload workload(GetParam());
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
    ASSERT_TRUE(workload.find(values_of(*store))) << "round " << round;
    expect_sound(disk);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreCrashTest, testing::Range<std::uint64_t>(0, 40));

}  // namespace
}  // namespace dgfs::test
