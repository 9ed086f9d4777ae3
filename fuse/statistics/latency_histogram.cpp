// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/latency_histogram.h"

#include <cmath>

namespace dgfs::fuse {

std::uint64_t LatencyHistogram::quantile_ns(double share) const noexcept {
  // A copy, because other threads go on counting.
  std::array<std::uint64_t, kBuckets> counts{};
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts[i] = counts_[i].load(std::memory_order_relaxed);
    total += counts[i];
  }
  if (total == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total)));
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    passed += counts[i];
    if (passed >= wanted && passed != 0) return bucket_end_ns(i);
  }
  return bucket_end_ns(kBuckets - 1);
}

std::uint64_t LatencyHistogram::total_ns() const noexcept {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    total += counts_[i].load(std::memory_order_relaxed) * bucket_end_ns(i);
  }
  return total;
}

}  // namespace dgfs::fuse
