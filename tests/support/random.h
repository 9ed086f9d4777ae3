// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random numbers for tests. The same seed gives the same numbers on every machine, and each failure
// shows the seed. Without DGFS_TEST_SEED, a test uses the seeds written in it. With it, each of
// these becomes another seed, and different seeds stay different, so that a test with many seeds
// still has as many.
#pragma once

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace dgfs::test {

/// Returns `written` if the environment variable DGFS_TEST_SEED is unset or empty, else a number
/// that depends on both. If the variable is not a number, the program ends.
[[nodiscard]] std::uint64_t test_seed(std::uint64_t written);

/// While it lives, DGFS_TEST_SEED has no effect: for inputs that must be the same in each run. Only
/// one may live at a time.
class OwnSeeds {
 public:
  OwnSeeds();
  ~OwnSeeds();
  OwnSeeds(const OwnSeeds&) = delete;
  OwnSeeds& operator=(const OwnSeeds&) = delete;
};

/// The standard engine, with test_seed(). While it lives, each failed expectation shows the seed.
class SeededEngine : public std::mt19937_64 {
 public:
  explicit SeededEngine(std::uint64_t written_seed);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

 private:
  SeededEngine(std::uint64_t written_seed, std::uint64_t seed);

  std::uint64_t seed_;
  testing::ScopedTrace trace_;
};

/// A seeded source of choices. While it lives, each failed expectation shows the seed.
class Random {
 public:
  explicit Random(std::uint64_t written_seed) : engine_(written_seed) {}

  /// The seed of the engine.
  [[nodiscard]] std::uint64_t seed() const noexcept { return engine_.seed(); }
  /// Uniform enough in [0, bound); 0 for bound 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// True one time in `times`.
  [[nodiscard]] bool one_in(std::uint64_t times) { return below(times) == 0; }
  [[nodiscard]] Buffer bytes(std::size_t count);

 private:
  SeededEngine engine_;
};

}  // namespace dgfs::test
