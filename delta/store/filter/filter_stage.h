// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterStage: a Bloom filter with a fixed capacity in prefixes. A prefix sets one bit in each of
// the eight words of one line of 64 bytes, so that a lookup costs one cache line (F. Putze, P.
// Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "delta/store/run/object_key.h"

namespace dgfs::delta {

/// One thread adds at a time; any number look up meanwhile, without a lock.
class FilterStage {
 public:
  static constexpr std::uint64_t kBitsOfPrefix = 16;
  static constexpr std::uint64_t kPrefixesOfLine = 32;  ///< in a full stage, on average
  static constexpr std::size_t kLineBytes = kPrefixesOfLine * kBitsOfPrefix / 8;
  static constexpr std::uint64_t kCapacityMax = std::uint64_t{4} << 20;

  /// Whether a stage may have this capacity: whole lines, and no more than kCapacityMax.
  [[nodiscard]] static constexpr bool is_capacity(std::uint64_t prefixes) {
    return prefixes != 0 && prefixes <= kCapacityMax && prefixes % kPrefixesOfLine == 0;
  }
  /// Size in memory and on disk.
  [[nodiscard]] static constexpr std::size_t bytes_of(std::uint64_t capacity) {
    return static_cast<std::size_t>(capacity * kBitsOfPrefix / 8);
  }

  /// An empty stage. Throws std::bad_alloc.
  /// @param capacity  is_capacity() is true of it
  explicit FilterStage(std::uint64_t capacity);
  /// A stage on disk that is not read yet: takes no memory, and lets everything through.
  /// @param count  as of count()
  FilterStage(std::uint64_t capacity, std::uint64_t count);
  /// Sets the bits of an unread stage, once. Other threads may look up meanwhile. Throws
  /// std::bad_alloc.
  /// @param bytes  bytes_of(capacity)
  void read(Bytes bytes);
  [[nodiscard]] bool is_read() const { return lines_.load(std::memory_order_acquire) != nullptr; }

  [[nodiscard]] static std::uint64_t hash(const ObjectPrefix& prefix);
  /// False: the prefix was not added. A full stage returns true for one in 1,000 of the prefixes
  /// that were not added.
  [[nodiscard]] bool may_have(std::uint64_t hash) const;
  /// For a stage that is read. It takes more prefixes than its capacity, but then returns true
  /// wrongly more often.
  void add(std::uint64_t hash);

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  /// How many prefixes were added. Acquires: a lookup afterwards sees their bits.
  [[nodiscard]] std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_full() const { return count() >= capacity_; }
  /// The bits of a stage that is read, bytes_of(capacity). Prefixes that other threads add
  /// meanwhile may be missing.
  [[nodiscard]] Buffer encode() const;

 private:
  using Word = std::atomic<std::uint64_t>;
  static constexpr std::size_t kWordsOfLine = 8;

  [[nodiscard]] Word* line_of(Word* lines, std::uint64_t hash) const;
  [[nodiscard]] Word* make_words();

  const std::uint64_t capacity_;
  std::atomic<std::uint64_t> count_;
  std::unique_ptr<Word[]> words_;
  std::atomic<Word*> lines_{nullptr};  ///< in words_, aligned to a cache line; null: not read
};

}  // namespace dgfs::delta
