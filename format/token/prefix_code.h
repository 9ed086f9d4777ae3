// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PrefixCode: a canonical Huffman code of bounded length. It is stored as code lengths only: codes
// are assigned by length, then by symbol (as in RFC 1951, 3.2.2).
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

/// Lengths of an optimal code of at most kCodeBitsMax bits for symbols that occur `counts` times; 0
/// for symbols that do not occur. Deterministic. At most 2^15 symbols may occur. If only one
/// occurs, another one gets a code, too, so that the code is complete. Cost: O(n log n).
/// @param counts  of two symbols or more
[[nodiscard]] Buffer code_lengths(std::span<const std::uint64_t> counts);

/// Immutable, thread-safe. Memory: 5 bytes a symbol and 8 KiB.
class PrefixCode {
 public:
  /// An empty code, to be replaced before use.
  PrefixCode() = default;
  /// @param lengths  a length for each symbol, 0 = no code; 2 to 2^16 of them
  /// Errors: kCorrupt for a code that is not complete or longer than kCodeBitsMax (F-225).
  [[nodiscard]] static Result<PrefixCode> make(Bytes lengths);

  [[nodiscard]] std::size_t symbol_count() const { return lengths_.size(); }
  /// Length of the code of `symbol`; 0 if it has none.
  [[nodiscard]] unsigned length_bits(std::size_t symbol) const { return lengths_[symbol]; }
  [[nodiscard]] Bytes lengths() const { return lengths_; }
  /// Writes the code of `symbol`, which must have one.
  void write(std::size_t symbol, BitWriter& out) const {
    out.bits(codes_[symbol], lengths_[symbol]);
  }
  /// The symbol whose code is at the beginning of some bits.
  struct Found {
    std::uint16_t symbol = 0;
    std::uint16_t bits = 0;  ///< length of its code; in the table 0: longer than kTableBits
  };
  static constexpr unsigned kTableBits = 11;
  [[nodiscard]] const Found& at(std::size_t next_bits) const { return table_[next_bits]; }
  /// Finds a symbol for any bits, since the code is complete.
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
  /// By length: the end of the codes of that length, aligned to the left in kCodeBitsMax bits; and
  /// the index in symbols_ of the first symbol of that length, minus its code.
  std::uint32_t ends_[kCodeBitsMax + 1] = {};
  std::int32_t bases_[kCodeBitsMax + 1] = {};
};

}  // namespace dgfs::format
