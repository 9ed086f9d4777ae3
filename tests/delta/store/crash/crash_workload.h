// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random work on a store of random parameters, the same from the same seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "tests/delta/store/crash/crash_history.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {

class CrashWorkload {
 public:
  /// When the store makes batches durable by itself, without a sync.
  enum class Commits : std::uint8_t { kNever, kEachBatch };

  explicit CrashWorkload(std::uint64_t seed, Commits commits = Commits::kNever) : seed_(seed) {
    Random random(seed);
    options_ = tiny_options(random);
    if (commits == Commits::kEachBatch) options_.commit_interval = std::chrono::milliseconds(0);
    shape_.keys = 10 + random.below(100);
    if (seed % 2 == 1) options_.parameters.born_object = UINT64_MAX;  // the store gets a filter
  }

  [[nodiscard]] const delta::StoreOptions& options() const { return options_; }
  /// The history of the last run.
  [[nodiscard]] const CrashHistory& history() const { return history_; }

  /// Works until all is done or something fails. The same seed gives the same calls.
  /// @param when_failed  is called with the store after a failure
  void run(
      StoppingEnv& env, std::size_t batches,
      const std::function<void(delta::Store&)>& when_failed = [](delta::Store&) {});
  /// The same, but goes on after failures: a refused batch has not happened. Some batches have the
  /// class removing or internal. After some refusals for lack of space, the run makes space. Each
  /// answer of the store meanwhile is right, or an error that names a place.
  /// @param before_batch  is called with the number of each batch
  void run_on(
      storage::Env& env, std::size_t batches,
      const std::function<void(std::size_t)>& before_batch = [](std::size_t) {});

 private:
  [[nodiscard]] bool run_batch(StoppingEnv& env, delta::Store& store, Random& random);
  void expect_answer(const delta::Store& store, const std::string& key) const;

  std::uint64_t seed_;
  delta::StoreOptions options_;
  BatchShape shape_;
  CrashHistory history_;
};

}  // namespace dgfs::test
