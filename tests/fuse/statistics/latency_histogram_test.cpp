// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/latency_histogram.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <thread>
#include <vector>

namespace dgfs::fuse {
namespace {

TEST(LatencyHistogram, BucketsFollowOneAnother) {
  for (std::size_t bucket = 0; bucket < LatencyHistogram::kBuckets; ++bucket) {
    const auto end_ns = LatencyHistogram::bucket_end_ns(bucket);
    EXPECT_EQ(LatencyHistogram::bucket_of(end_ns), bucket);
    const auto next = std::min(bucket + 1, LatencyHistogram::kBuckets - 1);
    EXPECT_EQ(LatencyHistogram::bucket_of(end_ns + 1), next);
  }
  EXPECT_EQ(LatencyHistogram::bucket_of(0), 0u);
  EXPECT_EQ(LatencyHistogram::bucket_of(std::numeric_limits<std::uint64_t>::max()),
            LatencyHistogram::kBuckets - 1);
}

TEST(LatencyHistogram, QuantilesAreOffByAnEighthAtMost) {
  for (const std::uint64_t unit_ns : {1u, 1000u, 777'777u}) {
    const auto histogram = std::make_unique<LatencyHistogram>();
    for (std::uint64_t i = 1; i <= 1000; ++i) histogram->add(i * unit_ns);
    for (const double share : {0.01, 0.5, 0.99, 1.0}) {
      const double exact = share * 1000 * static_cast<double>(unit_ns);
      const auto shown = static_cast<double>(histogram->quantile_ns(share));
      EXPECT_GE(shown, exact - 1);
      EXPECT_LE(shown, exact * 1.125 + 1) << share;
    }
    const double exact = 500'500 * static_cast<double>(unit_ns);
    EXPECT_GE(static_cast<double>(histogram->total_ns()), exact);
    EXPECT_LE(static_cast<double>(histogram->total_ns()), exact * 1.125);
  }
}

TEST(LatencyHistogram, EmptyAndSingle) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.quantile_ns(0.99), 0u);
  EXPECT_EQ(histogram.total_ns(), 0u);
  histogram.add(5);
  EXPECT_EQ(histogram.quantile_ns(0), 5u);
  EXPECT_EQ(histogram.quantile_ns(0.5), 5u);
  EXPECT_EQ(histogram.quantile_ns(1), 5u);
}

TEST(LatencyHistogram, LosesNothingAmongThreads) {
  LatencyHistogram histogram;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 10'000; ++j) histogram.add(3);
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 40'001; ++i) histogram.add(7);
  EXPECT_EQ(histogram.quantile_ns(0.4999), 3u);
  EXPECT_EQ(histogram.quantile_ns(0.5001), 7u);
}

}  // namespace
}  // namespace dgfs::fuse
