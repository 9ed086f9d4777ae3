// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenCounts: what the pages of a sample would say, counted, for a token model to be made of it.
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

/// What a text stands behind, and what it may end with. A value.
struct TextPlace {
  bool is_target = false;
  format::TextStart start;          ///< of a name
  format::EndingLengths endings{};  ///< likewise

  friend auto operator<=>(const TextPlace&, const TextPlace&) = default;
};

/// Texts with their ends, by their places, and how often they occur.
using CountedTexts = std::map<TextPlace, std::unordered_map<std::string, std::uint32_t>>;

/// A sink of RowWriter. Not thread-safe.
class TokenCounts {
 public:
  TokenCounts();

  /// What follows is of another part of the tree.
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
  std::array<CountedTexts, 2> texts;  ///< of parts in turn

 private:
  static void count(ContextCounts& counts, std::size_t symbol, std::size_t before);
  void count_text(std::string_view text, const TextPlace& place);

  std::size_t part_ = 0;
};

}  // namespace dgfs::builder
