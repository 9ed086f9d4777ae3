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
  /// How the store makes durable what nobody syncs.
  enum class Commits : std::uint8_t { kNever, kEachBatch };

  explicit CrashWorkload(std::uint64_t seed, Commits commits = Commits::kNever) : seed_(seed) {
    Random random(seed);
    options_ = tiny_options(random);
    if (commits == Commits::kEachBatch) options_.commit_interval = std::chrono::milliseconds(0);
    shape_.keys = 10 + random.below(100);
    if (seed % 2 == 1) options_.parameters.born_object = UINT64_MAX;  // it has a filter
  }

  [[nodiscard]] const delta::StoreOptions& options() const { return options_; }
  /// Of the last run.
  [[nodiscard]] const CrashHistory& history() const { return history_; }

  /// Until all is done or something fails. The same calls each time.
  /// @param when_failed  is given the store
  void run(
      StoppingEnv& env, std::size_t batches,
      const std::function<void(delta::Store&)>& when_failed = [](delta::Store&) {});
  /// The same, but what fails is passed over: a batch that is refused has not happened. Some
  /// batches say that they are removing or internal, and some of those that were refused for want
  /// of space have some made. What the store answers meanwhile is right, or an error that says
  /// where.
  /// @param before_batch  is told which one comes
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
