// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ColumnWriter: the primitives of page columns. Bytes that repeat go to the body, which zstd
// compresses. Bits that are noise go to a separate bit stream, which costs no more than its length:
//
//   small   one byte; for 255 and above, the byte 255 and a number
//   number  one byte (how many bits the value takes), then its bits below the top one, as noise
//
// Layout of the whole: docs/FORMAT.md, "Column codec".
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace dgfs::format {

/// Bits of a page's column mask: which optional columns are present.
enum class Column : std::uint32_t {
  kNameLengths = 1u << 0,  ///< suffix lengths instead of '/' after each suffix
  kAttributes = 1u << 1,   ///< where the attribute combination changes
  kTimes = 1u << 2,        ///< where mtime changes
  kNanoseconds = 1u << 3,  ///< nanoseconds of the changed mtimes
  kSparseMaps = 1u << 4,
  kCodecs = 1u << 5,
  kStored = 1u << 6,
  kAddresses = 1u << 7,
  kLinkCounts = 1u << 8,
  kChangeTimes = 1u << 9,   ///< ctime
  kAccessTimes = 1u << 10,  ///< atime
  kXattrs = 1u << 11,
  kLongTargets = 1u << 12,
  kFragmentOffsets = 1u << 13,  ///< where the content begins in its fragment frame
};
inline constexpr std::uint32_t kColumnMask = (1u << 14) - 1;
/// Head of the columns: mask u32, length of the bit stream u32.
inline constexpr std::size_t kColumnHeadBytes = 8;
inline constexpr std::uint8_t kSmallEscape = 255;

class ColumnWriter {
 public:
  ColumnWriter() : body_(kColumnHeadBytes) {}

  void mark(Column column) { mask_ |= static_cast<std::uint32_t>(column); }
  void byte(std::uint8_t value) { body_.push_back(value); }
  void text(std::string_view text) { body_.insert(body_.end(), text.begin(), text.end()); }
  void small(std::uint64_t value) {
    if (value < kSmallEscape) return byte(static_cast<std::uint8_t>(value));
    byte(kSmallEscape);
    number(value - kSmallEscape);
  }
  void number(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    byte(static_cast<std::uint8_t>(width));
    if (width > 1) bits(value, width - 1);
  }
  /// Appends the low `count` bits of `value`; 1 to 63.
  void bits(std::uint64_t value, unsigned count);
  /// Bytes of another nature follow, so a compressor should start a block here.
  void end_block() { block_ends_.push_back(body_.size()); }

  /// Returns head, body and bit stream; the writer is then spent. Block ends are offsets in the
  /// result.
  [[nodiscard]] Buffer finish() &&;
  [[nodiscard]] const std::vector<std::size_t>& block_ends() const { return block_ends_; }

 private:
  Buffer body_;
  Buffer bits_;
  std::uint64_t pending_ = 0;  ///< bits not yet in bits_, lowest first
  unsigned pending_bits_ = 0;  ///< below 8 between calls
  std::uint32_t mask_ = 0;
  std::vector<std::size_t> block_ends_;
};

}  // namespace dgfs::format
