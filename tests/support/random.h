// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random numbers for tests: the same on every machine from the same seed, and the seed is part of
// every failure.
#pragma once

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace dgfs::test {

/// The value of the environment variable DGFS_TEST_SEED if it is set, else `fallback`.
[[nodiscard]] std::uint64_t test_seed(std::uint64_t fallback);

/// While it lives, DGFS_TEST_SEED is not heeded: for what is said of many seeds together. One at a
/// time.
class OwnSeeds {
 public:
  OwnSeeds();
  ~OwnSeeds();
  OwnSeeds(const OwnSeeds&) = delete;
  OwnSeeds& operator=(const OwnSeeds&) = delete;
};

/// Seeded source of choices. While it lives, each failed expectation shows the seed.
class Random {
 public:
  explicit Random(std::uint64_t fallback_seed);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// Uniform enough in [0, bound); 0 for bound 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// True one time in `times`.
  [[nodiscard]] bool one_in(std::uint64_t times) { return below(times) == 0; }
  [[nodiscard]] Buffer bytes(std::size_t count);

 private:
  std::uint64_t seed_;
  std::mt19937_64 generator_;
  testing::ScopedTrace trace_;
};

}  // namespace dgfs::test
