// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ContextCode: an alphabet whose prefix code depends on the symbol before. Contexts form classes,
// and each class has a code.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "format/token/bit_reader.h"
#include "format/token/prefix_code.h"

namespace dgfs::format {

/// Immutable, thread-safe. Memory: the codes, and 8 KiB for each of them.
class ContextCode {
 public:
  /// An empty code, to be replaced before use.
  ContextCode() = default;
  /// @param codes     by class, at most 255
  /// @param class_of  class by the symbol before; the last element is the class without a symbol
  ///                  before; all below codes.size()
  ContextCode(std::vector<PrefixCode> codes, Buffer class_of);

  /// The symbol whose code is at the beginning of some bits, and the class that it selects.
  struct Step {
    std::uint16_t symbol = 0;
    std::uint8_t bits = 0;        ///< length of its code; in the table 0: longer than kTableBits
    std::uint8_t next_class = 0;  ///< class of the next symbol
  };
  /// Class of a symbol that has no symbol before it.
  [[nodiscard]] std::uint8_t first_class() const { return class_of_.back(); }
  /// @param number  class
  /// @param ahead   as BitReader::ahead()
  [[nodiscard]] Step find(std::size_t number, std::uint64_t ahead) const {
    constexpr auto kBits = PrefixCode::kTableBits;
    const auto step = table_[number << kBits | static_cast<std::size_t>(ahead >> (64 - kBits))];
    if (step.bits != 0) [[likely]] {
      return step;
    }
    return find_long(number, ahead);
  }
  /// For a writer: the code of the symbol after `before`. The number of symbols, as `before`, means
  /// that no symbol is before.
  [[nodiscard]] const PrefixCode& behind(std::size_t before) const {
    return codes_[class_of_[before]];
  }
  [[nodiscard]] std::size_t class_count() const { return codes_.size(); }

 private:
  /// A separate function, so that find() is small enough to be inlined into the loop over entries.
  [[nodiscard]] Step find_long(std::size_t number, std::uint64_t ahead) const;
  [[nodiscard]] Step step_of(const PrefixCode::Found& found) const {
    return {found.symbol, static_cast<std::uint8_t>(found.bits), class_of_[found.symbol]};
  }

  std::vector<PrefixCode> codes_;
  Buffer class_of_;
  std::vector<Step> table_;  ///< by class, then by the next PrefixCode::kTableBits bits
};

}  // namespace dgfs::format
