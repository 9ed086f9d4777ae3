// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterStage: a Bloom filter of a fixed number of prefixes. A prefix sets one bit in each of the
// eight words of one line of 64 bytes, so that a question costs one cache line (F. Putze,
// P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "delta/store/run/object_key.h"

namespace dgfs::delta {

/// One thread adds at a time; any number ask meanwhile, without a lock.
class FilterStage {
 public:
  static constexpr std::uint64_t kBitsOfPrefix = 16;
  static constexpr std::uint64_t kPrefixesOfLine = 32;  ///< when it is full, on average
  static constexpr std::uint64_t kCapacityMax = std::uint64_t{4} << 20;

  /// Whether a stage may have this capacity: whole lines, and no more than kCapacityMax.
  [[nodiscard]] static constexpr bool is_capacity(std::uint64_t prefixes) {
    return prefixes != 0 && prefixes <= kCapacityMax && prefixes % kPrefixesOfLine == 0;
  }
  /// What it takes, in memory and on disk.
  [[nodiscard]] static constexpr std::size_t bytes_of(std::uint64_t capacity) {
    return static_cast<std::size_t>(capacity * kBitsOfPrefix / 8);
  }

  /// An empty one. Throws std::bad_alloc.
  /// @param capacity  as is_capacity() wants it
  explicit FilterStage(std::uint64_t capacity);
  /// One that was encoded, and is not read yet: it takes no memory, and says true of all.
  /// @param count  as of count()
  FilterStage(std::uint64_t capacity, std::uint64_t count);
  /// Gives it its bits; once. Others may ask meanwhile. Throws std::bad_alloc.
  /// @param bytes  bytes_of(capacity)
  void read(Bytes bytes);
  [[nodiscard]] bool is_read() const { return lines_.load(std::memory_order_acquire) != nullptr; }

  [[nodiscard]] static std::uint64_t hash(const ObjectPrefix& prefix);
  /// False: it was not added. Of prefixes that were not, a full stage says true of one in 1,000.
  [[nodiscard]] bool may_have(std::uint64_t hash) const;
  /// Of one that is read. May be called of more prefixes than the capacity, but then it says true
  /// more often.
  void add(std::uint64_t hash);

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  /// How many were added. What it counts is in the bits that are read afterwards.
  [[nodiscard]] std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_full() const { return count() >= capacity_; }
  /// Of one that is read: its bits, bytes_of(capacity). Others may add meanwhile: their bits may be
  /// in them or not.
  [[nodiscard]] Buffer encode() const;

 private:
  using Word = std::atomic<std::uint64_t>;
  static constexpr std::size_t kWordsOfLine = 8;

  [[nodiscard]] Word* line_of(Word* lines, std::uint64_t hash) const;
  [[nodiscard]] Word* make_words();

  const std::uint64_t capacity_;
  std::atomic<std::uint64_t> count_;
  std::unique_ptr<Word[]> words_;
  std::atomic<Word*> lines_{nullptr};  ///< in words_, at a whole cache line; null: it is not read
};

}  // namespace dgfs::delta
