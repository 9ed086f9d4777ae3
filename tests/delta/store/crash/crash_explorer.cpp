// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/crash/crash_explorer.h"

#include <array>
#include <utility>

#include "storage/mix.h"
#include "tests/delta/store/filter/let_through.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;
using storage::mix;

constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                CrashLoss::kRandomSubset, CrashLoss::kScattered};

// Picks one loss for places where the test tries only one.
CrashLoss loss_of(std::uint64_t number) { return kLosses[mix(7, number) % kLosses.size()]; }

std::string to_text(CrashLoss loss) { return std::to_string(static_cast<int>(loss)); }

void fill(storage::MemoryEnv& disk, delta::Store& store) {
  const auto put = [&](const std::string& key, std::size_t bytes) {
    delta::Batch batch;
    batch.put(key, std::string(bytes, key.back()));
    EXPECT_TRUE(store.apply(batch));
  };
  for (int number = 0; number < 36; ++number) {
    put(std::string(1, static_cast<char>('a' + number % 3)) + std::to_string(number * 7 % 36), 60);
  }
  EXPECT_TRUE(store.checkpoint());
  put("a", 10);
  put("b", 100);
  EXPECT_TRUE(store.sync());
  const auto report = delta::check_store(disk, "/s");
  EXPECT_GT(report.value().height, 0U);
  EXPECT_GT(report.value().waiting_runs, 0U);
  EXPECT_GT(report.value().log_groups, 0U);
}

// A disk without a store has no values.
Values seen_before_recovery(storage::Env& disk, delta::StoreOptions options) {
  options.access = delta::StoreAccess::kReadOnly;
  auto opened = delta::Store::open(disk, "/s", options);
  if (opened) return values_of(*opened.value());
  EXPECT_EQ(opened.error().kind(), ErrorKind::kNotFound) << opened.error().message();
  return {};
}

}  // namespace

CrashExplorer::CrashExplorer(StoreImage base, const ExplorerOptions& options)
    : base_(std::move(base)), options_(options) {
  if (base_.is_empty()) return;
  const auto disk = base_.make_disk();
  const auto store = open_store(*disk, script_options());
  base_values_ = values_of(*store);
}

void CrashExplorer::stop_machine(const Script& script) {
  bool has_stopped = !testing::Test::HasFailure();
  for (std::uint64_t call = 1; has_stopped; ++call) {
    has_stopped = stop_first(script, call);
    if (testing::Test::HasFailure()) return;
    if (options_.recovery_stride != 0) stop_recoveries(script, {call, loss_of(call)});
    if (testing::Test::HasFailure()) return;
  }
}

// If the blocked call changes nothing, the disk is the same as one call earlier: one loss is
// enough.
bool CrashExplorer::stop_first(const Script& script, std::uint64_t call) {
  for (const CrashLoss loss : kLosses) {
    const auto disk = base_.make_disk();
    CrashHistory history(base_values_);
    StoppingEnv env(*disk, call);
    run_script(env, script_options(), script, history);
    const bool changes = !env.has_stopped() || env.has_stopped_at_change();
    const auto chosen = changes ? loss : loss_of(call);
    if (env.has_stopped()) tally_.failpoints.count(env, chosen);
    crash(*disk, chosen, call);
    look(*disk, history,
         to_text(script) + ", call " + std::to_string(call) + ", loss " + to_text(chosen));
    if (testing::Test::HasFailure()) return false;
    if (!changes) return true;
    if (loss == kLosses.back()) return env.has_stopped();
  }
  return false;
}

void CrashExplorer::stop_recoveries(const Script& script, const FirstStop& stop) {
  const std::uint64_t stride = options_.recovery_stride;
  bool has_stopped = true;
  for (std::uint64_t call = 1 + stop.call % stride; has_stopped; call += stride) {
    const auto disk = base_.make_disk();
    CrashHistory history(base_values_);
    StoppingEnv first(*disk, stop.call);
    run_script(first, script_options(), script, history);
    disk->crash(stop.loss, stop.call);
    StoppingEnv env(*disk, call);
    env.begin(Step::kOpen);
    static_cast<void>(delta::Store::open(env.env(), "/s", script_options()));
    has_stopped = env.has_stopped();
    const auto loss = loss_of(stop.call * 1000 + call);
    if (has_stopped) tally_.failpoints.count(env, loss);
    crash(*disk, loss, call);
    look(*disk, history,
         to_text(script) + ", call " + std::to_string(stop.call) + ", loss " + to_text(stop.loss) +
             ", then call " + std::to_string(call) + " of the recovery");
    if (testing::Test::HasFailure()) return;
  }
}

void CrashExplorer::end_process(const Script& script, const Script& after) {
  bool has_stopped = !testing::Test::HasFailure();
  for (std::uint64_t call = 1; has_stopped; ++call) {
    const auto disk = base_.make_disk();
    CrashHistory history(base_values_);
    StoppingEnv env(*disk, call);
    run_script(env, script_options(), script, history);
    has_stopped = env.has_stopped();
    if (has_stopped) stop_later(script, call, after);
    if (testing::Test::HasFailure()) return;
  }
}

void CrashExplorer::stop_later(const Script& script, std::uint64_t call, const Script& after) {
  bool has_stopped = true;
  const std::uint64_t stride = options_.later_stride;
  for (std::uint64_t later = 1 + call % stride; has_stopped; later += stride) {
    const auto disk = base_.make_disk();
    CrashHistory history(base_values_);
    StoppingEnv first(*disk, call);
    run_script(first, script_options(), script, history);
    StoppingEnv env(*disk, later);
    run_script(env, script_options(), after, history);
    has_stopped = env.has_stopped();
    const auto loss = loss_of(call * 1000 + later);
    if (has_stopped) tally_.failpoints.count(env, loss);
    crash(*disk, loss, later);
    look(*disk, history,
         to_text(script) + ", process ended at call " + std::to_string(call) + ", then " +
             to_text(after) + ", call " + std::to_string(later));
    if (testing::Test::HasFailure()) return;
  }
}

void CrashExplorer::crash(storage::MemoryEnv& disk, CrashLoss loss, std::uint64_t call) {
  ++tally_.crash_points;
  disk.crash(loss, mix(tally_.crash_points, call));
}

void CrashExplorer::look(storage::MemoryEnv& disk, const CrashHistory& history,
                         const std::string& what) {
  expect_recovered(disk, script_options(), history);
  EXPECT_FALSE(testing::Test::HasFailure()) << what;
}

StoreImage make_base(Base base) {
  if (base == Base::kNothing) return {};
  const auto disk = storage::make_memory_env(1);
  auto options = script_options();
  if (base == Base::kOver) options.parameters.born_object = UINT64_MAX;
  const auto store = open_store(*disk, options);
  if (base != Base::kEmpty) fill(*disk, *store);
  return StoreImage(*disk);
}

void expect_recovered(storage::MemoryEnv& disk, const delta::StoreOptions& options,
                      const CrashHistory& history) {
  const auto seen = seen_before_recovery(disk, options);
  const auto store = open_store(disk, options);
  ASSERT_NE(store, nullptr);
  const auto values = values_of(*store);
  ASSERT_TRUE(history.find(values)) << "these values are no state that may be on the disk";
  ASSERT_EQ(seen, values) << "a read-only open before the recovery saw other values";
  expect_sound(disk);
  const auto superblock = delta::read_store_superblock(disk, "/s").value();
  EXPECT_EQ(superblock.identity, delta::read_store_identity(disk, "/s", superblock).value());
  expect_let_through(*store, superblock.parameters.born_object);
  delta::Batch batch;
  batch.put("after", "the crash");
  ASSERT_TRUE(store->apply(batch));
  ASSERT_TRUE(store->checkpoint());
  EXPECT_EQ(*store->get("after").value(), "the crash");
  expect_sound(disk);
}

}  // namespace dgfs::test
