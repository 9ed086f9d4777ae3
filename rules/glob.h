// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Glob: a wildcard pattern for paths, made ready to match.
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dgfs::rules {

/// `*` matches any bytes but '/', `**` any bytes, `?` one byte but '/'. `[a-z]`, `[!a-z]` and
/// `[[:digit:]]` match one byte of a set but '/'. `\` takes the next byte literally. A bracket that
/// does not end, or that names an unknown class, matches nothing. Independent of the locale.
/// A value; immutable.
class Glob {
 public:
  /// Accepts any text as a pattern; the view is not kept.
  explicit Glob(std::string_view pattern);

  /// Whether it matches all of `text`. Time is at most quadratic in the text times the pattern.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  using Set = std::bitset<256>;
  enum class Kind : std::uint8_t { kByte, kSet, kStar, kStars };
  struct Token {
    Kind kind;
    std::uint8_t byte = 0;
    std::uint32_t set = 0;  ///< index in sets_
  };
  void add_set(const Set& set);
  [[nodiscard]] bool accepts(const Token& token, char c) const;

  std::vector<Token> tokens_;
  std::vector<Set> sets_;
};

}  // namespace dgfs::rules
