// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// BitWriter: packs bits into bytes, highest bit first, so that a reader can compare codes as
// numbers.
#pragma once

#include <cstdint>
#include <utility>

#include "base/bytes.h"

namespace dgfs::format {

/// Not thread-safe.
class BitWriter {
 public:
  /// Appends the low `count` bits of `value`, 0 to 64, the highest of them first.
  void bits(std::uint64_t value, unsigned count) {
    if (count > kStepBits) {
      bits(value >> kStepBits, count - kStepBits);
      count = kStepBits;
    }
    if (count == 0) return;
    pending_ = pending_ << count | (value & (~std::uint64_t{0} >> (64 - count)));
    pending_bits_ += count;
    while (pending_bits_ >= 8) {
      pending_bits_ -= 8;
      bytes_.push_back(static_cast<std::uint8_t>(pending_ >> pending_bits_));
    }
  }
  /// Appends all bits of `other`.
  void append(const BitWriter& other) {
    for (const auto byte : other.bytes_) bits(byte, 8);
    bits(other.pending_, other.pending_bits_);
  }
  [[nodiscard]] std::size_t bit_count() const { return bytes_.size() * 8 + pending_bits_; }
  /// Drops all bits after the first `bit_count`.
  void truncate(std::size_t bit_count) {
    if (bit_count / 8 < bytes_.size()) {
      pending_ = bytes_[bit_count / 8];
      pending_bits_ = 8;
      bytes_.resize(bit_count / 8);
    }
    const auto kept = static_cast<unsigned>(bit_count % 8);
    pending_ >>= pending_bits_ - kept;
    pending_bits_ = kept;
  }
  /// Drops all bits, but keeps the memory.
  void clear() {
    bytes_.clear();
    pending_ = 0;
    pending_bits_ = 0;
  }
  /// Returns the bits, filled with zeros to a whole byte; the writer is then spent.
  [[nodiscard]] Buffer finish() && {
    if (pending_bits_ > 0) bits(0, 8 - pending_bits_);
    return std::move(bytes_);
  }

 private:
  static constexpr unsigned kStepBits = 32;  ///< with up to 7 pending bits, it fits into 64

  Buffer bytes_;
  std::uint64_t pending_ = 0;
  unsigned pending_bits_ = 0;  ///< below 8 between calls
};

}  // namespace dgfs::format
