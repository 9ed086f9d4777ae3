// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ColumnReader: inverse of ColumnWriter, for untrusted bytes. After a failure all reads give zeros,
// so that loops (whose counts are bounded) need no branch per value; status() reports the first
// failure. It never reads outside its input.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "format/column/writer.h"

namespace dgfs::format {

class ColumnReader {
 public:
  /// Errors: kCorrupt for a bad head.
  [[nodiscard]] static Result<ColumnReader> open(Bytes columns);

  [[nodiscard]] bool has(Column column) const {
    return (mask_ & static_cast<std::uint32_t>(column)) != 0;
  }
  std::uint8_t byte() {
    if (at_ < body_.size()) return body_[at_++];
    fail("columns end early");
    return 0;
  }
  std::uint64_t small() {
    const auto value = byte();
    return value < kSmallEscape ? value : large_small();
  }
  std::uint64_t number() {
    const unsigned width = byte();
    if (width <= 1) return width;
    if (width <= 64) return std::uint64_t{1} << (width - 1) | bits(width - 1);
    fail("number is longer than 64 bits");  // F-134
    return 0;
  }
  /// The next `count` bits of the bit stream, at most 63.
  std::uint64_t bits(unsigned count) {  // F-135
    const auto byte_at = static_cast<std::size_t>(bit_at_ / 8);
    std::uint64_t word = 0;
    if (count > 56 || bits_.size() - byte_at < sizeof word) return bits_slowly(count);
    std::memcpy(&word, bits_.data() + byte_at, sizeof word);
    word >>= bit_at_ % 8;
    bit_at_ += count;
    return word & ((std::uint64_t{1} << count) - 1);
  }
  /// Like small(), but the value must not exceed `max`.
  std::uint64_t small_up_to(std::uint64_t max) {
    const auto value = small();
    if (value <= max) return value;
    fail("number is above its limit");
    return 0;
  }
  /// The bytes up to the next `end`; consumes `end`, too.
  std::string_view text_until(char end) {
    const auto* begin = body_.data() + at_;
    const auto* found = std::memchr(begin, end, body_.size() - at_);
    if (found == nullptr) {
      fail("text has no end");
      return {};
    }
    const auto length = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - begin);
    at_ += length + 1;
    return as_text(Bytes(begin, length));
  }
  std::string_view text(std::uint64_t length_bytes);

  /// Whether the `length_bytes` bytes from `text` on, a result of this reader, are still in the
  /// input.
  [[nodiscard]] bool may_read(const char* text, std::size_t length_bytes) const {
    return reinterpret_cast<const char*>(body_.data()) + body_.size() - text >=
           static_cast<std::ptrdiff_t>(length_bytes);
  }

  /// How far the body was read, in bytes from the beginning of the columns, head included.
  [[nodiscard]] std::size_t body_position() const { return at_; }
  /// How far the bit stream was read, in bits.
  [[nodiscard]] std::uint64_t bit_position() const { return bit_at_; }
  [[nodiscard]] std::size_t bit_stream_bytes() const { return bits_.size(); }

  void fail(const char* what);
  [[nodiscard]] bool failed() const { return failure_ != nullptr; }
  /// kCorrupt with the offset of the first failure.
  [[nodiscard]] Status status() const;
  /// Like status(), but also kCorrupt unless body and bit stream were consumed to their ends.
  [[nodiscard]] Status finish();

 private:
  ColumnReader() = default;
  std::uint64_t large_small();
  /// For reads near the end of the stream, or of many bits.
  std::uint64_t bits_slowly(unsigned count);

  Bytes body_;
  Bytes bits_;
  std::size_t at_ = 0;
  std::uint64_t bit_at_ = 0;
  std::uint32_t mask_ = 0;
  const char* failure_ = nullptr;
  std::size_t failure_offset_ = 0;
};

}  // namespace dgfs::format
