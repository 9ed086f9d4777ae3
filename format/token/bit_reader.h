// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// BitReader: inverse of BitWriter, for untrusted bytes. Reads past the end give zeros, and
// overrun() reports them. So decoders, whose loops are bounded by counts, need no branch per
// value.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace dgfs::format {

/// Reads bytes that must outlive it. Not thread-safe.
class BitReader {
 public:
  explicit BitReader(Bytes bytes, std::size_t bit_offset = 0) : bytes_(bytes), at_(bit_offset) {}

  /// The next `count` bits, 1 to 32, as a number.
  std::uint32_t bits(unsigned count) {
    const auto value = peek(count);
    at_ += count;
    return value;
  }
  /// The next `count` bits, 0 to 64, as a number.
  std::uint64_t long_bits(unsigned count) {
    if (count == 0) return 0;
    if (count <= kAheadBits) {
      const auto value = ahead() >> (64 - count);
      at_ += count;
      return value;
    }
    const std::uint64_t high = bits(count - 32);
    return high << 32 | bits(32);
  }
  /// The next `count` bits, 1 to 32, without consuming them.
  [[nodiscard]] std::uint32_t peek(unsigned count) const {
    return static_cast<std::uint32_t>(ahead() >> (64 - count));
  }
  /// At least the next kAheadBits bits, from the highest down, without consuming them: for a
  /// caller that decodes several values at once. Always inlined, because compilers leave these few
  /// instructions out of line where much else is inlined.
  [[nodiscard, gnu::always_inline]] std::uint64_t ahead() const { return window() << (at_ & 7); }
  static constexpr unsigned kAheadBits = 57;
  void skip(std::size_t count) { at_ += count; }

  [[nodiscard]] std::size_t bit_offset() const { return at_; }
  /// Whether more bits were read than there are.
  [[nodiscard]] bool overrun() const { return at_ > bytes_.size() * 8; }

 private:
  /// 8 bytes, beginning with the byte that holds the next bit; zeros behind the end.
  [[nodiscard, gnu::always_inline]] std::uint64_t window() const {
    const auto byte = at_ / 8;
    std::uint64_t value = 0;
    if (byte + sizeof value <= bytes_.size()) {
      std::memcpy(&value, bytes_.data() + byte, sizeof value);
    } else if (byte < bytes_.size()) {
      std::memcpy(&value, bytes_.data() + byte, bytes_.size() - byte);
    }
    return __builtin_bswap64(value);
  }

  Bytes bytes_;
  std::size_t at_;
};

}  // namespace dgfs::format
