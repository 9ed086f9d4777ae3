// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenCounts: counts the symbols and texts that the pages of a sample would contain. A token model
// is made from these counts.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "builder/train/context_classes.h"
#include "format/token/ending.h"
#include "format/token/row.h"

namespace dgfs::builder {

/// The place of a text, which decides its first code and its endings. A value.
struct TextPlace {
  bool is_target = false;
  format::TextStart start;          ///< of a name
  format::EndingLengths endings{};  ///< of a name

  friend auto operator<=>(const TextPlace&, const TextPlace&) = default;
};

/// How often each text occurs, by its place. Texts include kTextEnd.
using CountedTexts = std::map<TextPlace, std::unordered_map<std::string, std::uint32_t>>;

/// A sink of RowWriter. Not thread-safe.
class TokenCounts {
 public:
  TokenCounts();

  /// Begins another part of the tree. The caller then adds the symbols and texts of this part.
  void begin_part() { ++part_; }
  void row(std::size_t symbol, std::size_t before) { count(rows, symbol, before); }
  void share(std::size_t symbol, std::size_t before) { count(shares, symbol, before); }
  void recent_time(std::size_t symbol) { ++times[symbol]; }
  void attribute(std::size_t symbol) { ++attributes[symbol]; }
  void extras(std::size_t symbol) { ++extra_masks[symbol]; }
  void number(format::NumberKind kind, std::uint64_t value);
  void bits(std::uint64_t /*value*/, unsigned /*count*/) {}
  void name(std::string_view text, const format::TextStart& start,
            const format::EndingLengths& endings) {
    count_text(text, {false, start, endings});
  }
  void target(std::string_view text) { count_text(text, {true, {}, {}}); }

  using Counts = std::vector<std::uint64_t>;
  ContextCounts rows;    ///< by the row before
  ContextCounts shares;  ///< by the share before
  Counts times;
  Counts attributes;
  Counts extra_masks;
  std::vector<Counts> widths;         ///< by NumberKind
  std::array<CountedTexts, 2> texts;  ///< the parts alternate between these two

 private:
  static void count(ContextCounts& counts, std::size_t symbol, std::size_t before);
  void count_text(std::string_view text, const TextPlace& place);

  std::size_t part_ = 0;
};

}  // namespace dgfs::builder
