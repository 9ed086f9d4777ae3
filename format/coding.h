// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts integers and strings to bytes and back. Everything on disk is little-endian; varints are
// LEB128 (7 bits a byte, low bits first, at most 10 bytes). Encoder appends. Decoder never reads
// past its end and reports the offset of the first bad byte.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

static_assert(std::endian::native == std::endian::little, "big-endian hosts need byte swaps");

/// Maps signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2 -> 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// base + distance modulo 2^64: undoes the writer's subtraction.
constexpr std::uint64_t add_zigzag(std::uint64_t base, std::uint64_t zigzag_distance) {
  return base + static_cast<std::uint64_t>(unzigzag(zigzag_distance));
}

/// Reads a fixed-width integer at `bytes[offset]`; the caller has checked the length.
template <class Int>
Int load(Bytes bytes, std::size_t offset) {
  Int value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
template <class Int>
void store(MutableBytes bytes, std::size_t offset, Int value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Appends to a Buffer that it does not own.
class Encoder {
 public:
  explicit Encoder(Buffer& out) : out_(out) {}

  template <class Int>
  void fixed(Int value) {
    const auto at = out_.size();
    out_.resize(at + sizeof value);
    std::memcpy(out_.data() + at, &value, sizeof value);
  }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<std::uint8_t>(value));
  }
  void signed_varint(std::int64_t value) { varint(zigzag(value)); }
  void raw(Bytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  /// Varint length, then the bytes.
  void string(std::string_view text) {
    varint(text.size());
    raw(as_bytes(text));
  }

 private:
  Buffer& out_;
};

/// Consumes a span of bytes. Every getter fails with kCorrupt (and the offset) rather than read
/// past the end. The spans that it returns point into the input.
class Decoder {
 public:
  explicit Decoder(Bytes in) : in_(in) {}

  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t remaining() const { return in_.size() - at_; }
  [[nodiscard]] bool at_end() const { return at_ == in_.size(); }
  /// The bytes that are left; consumes none.
  [[nodiscard]] Bytes rest() const { return in_.subspan(at_); }
  /// @param length_bytes  at most remaining()
  void skip(std::size_t length_bytes) { at_ += length_bytes; }

  template <class Int>
  [[nodiscard]] Result<Int> fixed() {
    if (remaining() < sizeof(Int)) return ends_early();
    at_ += sizeof(Int);
    return load<Int>(in_, at_ - sizeof(Int));
  }
  /// Rejects encodings longer than 10 bytes or above 64 bits.
  [[nodiscard]] Result<std::uint64_t> varint() {
    if (at_ < in_.size() && in_[at_] < 0x80) return std::uint64_t{in_[at_++]};  // most are short
    return long_varint();
  }
  /// Reads a varint of one or two bytes, for callers that read too many to make a Result of each.
  /// Returns false if there is none, and consumes nothing; varint() reads longer ones and reports
  /// errors.
  [[nodiscard]] bool try_short_varint(std::uint64_t& value) {
    if (at_end()) return false;
    const std::uint64_t low = in_[at_];
    if (low < 0x80) {
      value = low;
      ++at_;
      return true;
    }
    if (remaining() < 2 || in_[at_ + 1] >= 0x80) return false;
    value = (low & 0x7f) | std::uint64_t{in_[at_ + 1]} << 7;
    at_ += 2;
    return true;
  }
  /// Reads a string() whose length is such a varint. Returns false if there is none; it may have
  /// consumed a part then.
  [[nodiscard]] bool try_short_string(std::string_view& text) {
    std::uint64_t length = 0;
    if (!try_short_varint(length) || length > remaining()) return false;
    text = as_text(in_.subspan(at_, static_cast<std::size_t>(length)));
    at_ += text.size();
    return true;
  }
  /// Like varint(), but the value must not exceed `max`.
  [[nodiscard]] Result<std::uint64_t> varint_up_to(std::uint64_t max) {
    if (at_ < in_.size() && in_[at_] < 0x80 && in_[at_] <= max) return std::uint64_t{in_[at_++]};
    return long_varint_up_to(max);
  }
  [[nodiscard]] Result<std::int64_t> signed_varint();
  [[nodiscard]] Result<Bytes> raw(std::uint64_t length_bytes) {
    if (length_bytes > remaining()) return ends_early();
    at_ += static_cast<std::size_t>(length_bytes);
    return in_.subspan(at_ - static_cast<std::size_t>(length_bytes),
                       static_cast<std::size_t>(length_bytes));
  }
  /// Reads a string() of at most `max_bytes`.
  [[nodiscard]] Result<std::string_view> string(std::uint64_t max_bytes);
  /// kCorrupt unless everything was consumed.
  [[nodiscard]] Status finish() const;

 private:
  [[nodiscard]] Error ends_early() const;
  [[nodiscard]] Result<std::uint64_t> long_varint();
  [[nodiscard]] Result<std::uint64_t> long_varint_up_to(std::uint64_t max);

  Bytes in_;
  std::size_t at_ = 0;
};

}  // namespace dgfs::format
