// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Latencies: a histogram of the times of very many calls, of fixed size.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace dgfs::bench {

/// Not thread-safe.
class Latencies {
 public:
  void add(std::uint64_t nanoseconds);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t max_ns() const { return max_ns_; }
  /// The smallest time that this share of all calls did not exceed; up to 1/32 too high.
  [[nodiscard]] std::uint64_t quantile_ns(double share) const;

  /// A JSON object: "count", "seconds" (the sum), "p50_us", "p99_us", "p999_us", "max_us".
  [[nodiscard]] std::string to_json() const;

 private:
  static constexpr unsigned kStepBits = 5;  ///< 32 steps per power of two
  static constexpr std::size_t kBuckets = (64 - kStepBits + 1) << kStepBits;

  [[nodiscard]] static std::size_t bucket_of(std::uint64_t nanoseconds);
  [[nodiscard]] static std::uint64_t last_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ns_ = 0;
  std::uint64_t max_ns_ = 0;
};

}  // namespace dgfs::bench
