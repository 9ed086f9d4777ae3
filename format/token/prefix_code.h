// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PrefixCode: a canonical Huffman code of bounded length. It is stored as code lengths alone:
// codes are given out by length, then by symbol (as in RFC 1951, 3.2.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/token/bit_reader.h"
#include "format/token/bit_writer.h"

namespace dgfs::format {

inline constexpr unsigned kCodeBitsMax = 15;

/// Lengths of an optimal code of at most kCodeBitsMax bits for symbols that occur `counts` times;
/// 0 for those that do not. Deterministic. At most 2^15 symbols with a count; a lone one gets a
/// neighbour, so that the code is complete. Cost: O(n log n).
/// @param counts  of two symbols or more
[[nodiscard]] Buffer code_lengths(std::span<const std::uint64_t> counts);

/// Immutable, thread-safe. Memory: 4 bytes a symbol and 16 KiB.
class PrefixCode {
 public:
  /// Decodes the empty code: only good for being replaced.
  PrefixCode() = default;
  /// @param lengths  a length for each symbol, 0 = none; 2 to 2^16 of them
  /// Errors: kCorrupt for a code that is not complete or longer than kCodeBitsMax (F-225).
  [[nodiscard]] static Result<PrefixCode> make(Bytes lengths);

  [[nodiscard]] std::size_t symbol_count() const { return lengths_.size(); }
  /// 0 for a symbol that has no code.
  [[nodiscard]] unsigned length_bits(std::size_t symbol) const { return lengths_[symbol]; }
  [[nodiscard]] Bytes lengths() const { return lengths_; }
  /// `symbol` must have a code.
  void write(std::size_t symbol, BitWriter& out) const {
    out.bits(codes_[symbol], lengths_[symbol]);
  }
  /// What bits begin with.
  struct Found {
    std::uint16_t symbol = 0;
    std::uint16_t bits = 0;  ///< of its code; in the table 0: longer than kTableBits
  };
  static constexpr unsigned kTableBits = 11;
  [[nodiscard]] const Found& at(std::size_t next_bits) const { return table_[next_bits]; }
  /// Every bit pattern is a symbol: the code is complete.
  /// @param ahead  as BitReader::ahead()
  [[nodiscard]] Found find(std::uint64_t ahead) const {
    const auto found = at(ahead >> (64 - kTableBits));
    if (found.bits != 0) [[likely]] {
      return found;
    }
    return find_long(ahead);
  }
  [[nodiscard]] std::uint16_t read(BitReader& in) const {
    const auto found = find(in.ahead());
    in.skip(found.bits);
    return found.symbol;
  }

 private:
  [[nodiscard]] Found find_long(std::uint64_t ahead) const;
  void fill_tables();

  Buffer lengths_;
  std::vector<std::uint16_t> codes_;
  std::vector<Found> table_;            ///< by the next kTableBits bits
  std::vector<std::uint16_t> symbols_;  ///< in the order of their codes
  /// By length: the first code above all of that length, from the left, and where in symbols_ the
  /// first symbol of that length is, minus its code.
  std::uint32_t ends_[kCodeBitsMax + 1] = {};
  std::int32_t bases_[kCodeBitsMax + 1] = {};
};

}  // namespace dgfs::format
