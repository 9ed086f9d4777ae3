// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/store/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace dgfs::bench {

// Numbers of up to six bits have a bucket each; of longer numbers only the six highest bits count.
std::size_t Latencies::bucket_of(std::uint64_t nanoseconds) {
  const auto width = static_cast<unsigned>(std::bit_width(nanoseconds));
  if (width <= kStepBits + 1) return nanoseconds;
  const unsigned shift = width - kStepBits - 1;
  return (std::size_t{shift} << kStepBits) + (nanoseconds >> shift);
}

std::uint64_t Latencies::last_of(std::size_t bucket) {
  const std::uint64_t steps = std::uint64_t{1} << kStepBits;
  if (bucket < 2 * steps) return bucket;
  const std::uint64_t shift = bucket / steps - 1;
  return ((bucket - shift * steps + 1) << shift) - 1;
}

void Latencies::add(std::uint64_t nanoseconds) {
  ++counts_[bucket_of(nanoseconds)];
  ++count_;
  sum_ns_ += nanoseconds;
  max_ns_ = std::max(max_ns_, nanoseconds);
}

std::uint64_t Latencies::quantile_ns(double share) const {
  const double wanted = share * static_cast<double>(count_);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (counts_[bucket] > 0 && static_cast<double>(seen) >= wanted) {
      return std::min(last_of(bucket), max_ns_);
    }
  }
  return max_ns_;
}

std::string Latencies::to_json() const {
  const auto microseconds = [](std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1e3;
  };
  return fmt::format(
      R"({{"count":{},"seconds":{:.6f},"p50_us":{:.2f},"p99_us":{:.2f},"p999_us":{:.2f},)"
      R"("max_us":{:.2f}}})",
      count_, static_cast<double>(sum_ns_) / 1e9, microseconds(quantile_ns(0.5)),
      microseconds(quantile_ns(0.99)), microseconds(quantile_ns(0.999)), microseconds(max_ns_));
}

}  // namespace dgfs::bench
