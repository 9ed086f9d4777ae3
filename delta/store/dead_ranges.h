// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DeadRanges: where batches have said that much of what the tree has is dead. The space of a large
// value is free once the message that removes it has reached the basement of the value; a range
// tombstone of a few bytes may wait above for long. Messages that wait for these ranges go down
// early.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "delta/store/run/batch.h"
#include "delta/store/run/range_tombstones.h"

namespace dgfs::delta {

/// Thread-safe. Kept in memory alone: after a crash what is dead waits as long as other messages.
class DeadRanges {
 public:
  /// Neighbours become one where there are more: what lies between them goes down early, too.
  static constexpr std::size_t kRangesMax = 1024;

  /// A batch is in a table. Ranges that find no memory are not noted.
  /// @param now_ns  of the monotonic clock
  void add(const Batch& batch, std::uint64_t now_ns) noexcept;
  /// All that was noted: the caller sees to it.
  [[nodiscard]] RangeTombstones take();
  /// Nobody has seen to them. Ranges that find no memory are forgotten.
  /// @param is_due  bytes() are as before; otherwise they count no more
  void give_back(const RangeTombstones& ranges, bool is_due) noexcept;

  /// All that was taken last has been seen to. The next checkpoint frees its space, and is due as
  /// this one was.
  void note_seen_to() noexcept;

  /// How much is dead, by what batches have said.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  /// Since when; of no use where bytes() is 0.
  [[nodiscard]] std::uint64_t since_ns() const { return since_ns_.load(std::memory_order_relaxed); }

 private:
  void keep_few();

  std::mutex mutex_;
  RangeTombstones ranges_;
  std::uint64_t taken_bytes_ = 0;  ///< of what was taken last
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> since_ns_ = 0;
};

}  // namespace dgfs::delta
