// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DeadRanges: ranges of keys in which, as batches report, much of the tree is dead. The space of a
// large value is free once the message that removes it has reached the value's basement; a range
// tombstone of a few bytes could wait above it for a long time. So messages for these ranges are
// flushed early.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "delta/store/run/batch.h"
#include "delta/store/run/range_tombstones.h"

namespace dgfs::delta {

/// Thread-safe. Kept only in memory: after a crash, dead data waits as long as other messages.
class DeadRanges {
 public:
  /// With more ranges, neighbours are joined; messages between them are then flushed early too.
  static constexpr std::size_t kRangesMax = 1024;

  /// Notes the dead ranges of a batch that is in a table. Drops ranges for which there is no
  /// memory.
  /// @param now_ns  of the monotonic clock
  void add(const Batch& batch, std::uint64_t now_ns) noexcept;
  /// Removes and returns all ranges; the caller flushes their messages.
  [[nodiscard]] RangeTombstones take();
  /// Puts back ranges whose messages the caller has not flushed. Drops those for which there is no
  /// memory.
  /// @param is_due  whether their bytes count in bytes() again
  void give_back(const RangeTombstones& ranges, bool is_due) noexcept;

  /// The caller has flushed everything that it took last. Counts the bytes again, so that the next
  /// checkpoint, which frees the space, becomes due in the same way.
  void note_seen_to() noexcept;

  /// How many bytes are dead, as batches report.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  /// Since when; meaningless if bytes() is 0.
  [[nodiscard]] std::uint64_t since_ns() const { return since_ns_.load(std::memory_order_relaxed); }

 private:
  void keep_few();

  std::mutex mutex_;
  RangeTombstones ranges_;
  std::uint64_t taken_bytes_ = 0;  ///< of the last take()
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> since_ns_ = 0;
};

}  // namespace dgfs::delta
