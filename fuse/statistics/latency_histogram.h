// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A distribution of durations: counts in buckets that are an eighth of an octave wide, so that a
// quantile is off by at most one part in eight. Takes 2.4 KiB.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dgfs::fuse {

/// Thread-safe; lock-free, so that it works in memory shared between processes.
class LatencyHistogram {
 public:
  /// One atomic addition.
  void add(std::uint64_t duration_ns) noexcept {
    counts_[bucket_of(duration_ns)].fetch_add(1, std::memory_order_relaxed);
  }
  /// The duration that a share (0 to 1) of all durations does not exceed, as the upper end of its
  /// bucket; 0 if there are no durations.
  [[nodiscard]] std::uint64_t quantile_ns(double share) const noexcept;
  /// The sum of all durations, each as the upper end of its bucket.
  [[nodiscard]] std::uint64_t total_ns() const noexcept;

  static constexpr std::size_t kBucketsPerOctave = 8;
  /// Durations from 2^40 ns (18 minutes) up share the last bucket.
  static constexpr std::size_t kOctaves = 40;
  static constexpr std::size_t kBuckets = (kOctaves - 2) * kBucketsPerOctave;

  /// Below 8 ns each duration has a bucket; above, the three bits after the leading one select it.
  [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t duration_ns) noexcept {
    if (duration_ns < kBucketsPerOctave) return static_cast<std::size_t>(duration_ns);
    const auto octave = static_cast<std::size_t>(std::bit_width(duration_ns)) - 1;
    if (octave >= kOctaves) return kBuckets - 1;
    return (octave - 2) * kBucketsPerOctave +
           static_cast<std::size_t>(duration_ns >> (octave - 3) & (kBucketsPerOctave - 1));
  }
  /// The longest duration of a bucket.
  [[nodiscard]] static constexpr std::uint64_t bucket_end_ns(std::size_t bucket) noexcept {
    if (bucket < kBucketsPerOctave) return bucket;
    const auto shift = bucket / kBucketsPerOctave - 1;
    return ((kBucketsPerOctave + bucket % kBucketsPerOctave + 1) << shift) - 1;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

}  // namespace dgfs::fuse
