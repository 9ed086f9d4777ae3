// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/name_code.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dgfs::view {
namespace {

// Symbol 0 is the end of the name, symbol b + 1 the byte b.
constexpr std::size_t kSymbols = 257;
constexpr unsigned kShareBits = 10;

// Roughly how often a symbol stands in names of large directories, in 1,024ths: many of these names
// are numbers.
constexpr std::uint32_t share_of(std::size_t symbol) {
  if (symbol == 0) return 24;
  const auto byte = static_cast<unsigned char>(symbol - 1);
  if (byte >= '0' && byte <= '9') return 36;
  if (byte >= 'a' && byte <= 'z') return 10;
  if (byte >= 'A' && byte <= 'Z') return 5;
  return byte == '.' || byte == '_' || byte == '-' || byte == ' ' ? 15 : 1;
}

// Where the share of each symbol begins; behind the last one, the sum of all.
constexpr std::array<std::uint32_t, kSymbols + 1> kBegins = [] {
  std::array<std::uint32_t, kSymbols + 1> begins{};
  for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
    begins[symbol + 1] = begins[symbol] + share_of(symbol);
  }
  return begins;
}();
static_assert(kBegins.back() == 1U << kShareBits);

// The expected symbol gets seven more times the sum of all shares.
constexpr unsigned kExpectedBits = 3;
constexpr std::uint64_t kExpectedShare = (std::uint64_t{7} << kShareBits);
constexpr std::size_t kNoSymbol = kSymbols;

// Some codes, from `low` on.
struct Range {
  std::uint64_t low = 1;
  std::uint64_t width = 0;

  // @param expected  kNoSymbol: none
  [[nodiscard]] Range of_symbol(std::size_t symbol, std::size_t expected) const {
    const auto begin = begin_of(symbol, expected);
    return {low + begin, begin_of(symbol + 1, expected) - begin};
  }
  [[nodiscard]] std::uint64_t begin_of(std::size_t symbol, std::size_t expected) const {
    if (expected == kNoSymbol) return width * kBegins[symbol] >> kShareBits;
    const auto begin = kBegins[symbol] + (symbol > expected ? kExpectedShare : 0);
    return width * begin >> (kShareBits + kExpectedBits);
  }
  // @param index  of `count` equal parts
  [[nodiscard]] Range of_part(std::size_t index, std::size_t count) const {
    const auto begin = width * index / count;
    return {low + begin, width * (index + 1) / count - begin};
  }
  // The highest code of a name in the range. An empty range has the code of its place.
  [[nodiscard]] std::uint64_t last() const { return width == 0 ? low : low + width - 1; }
};

Range whole_range(unsigned bits) { return {1, (std::uint64_t{1} << bits) - 1}; }

std::size_t symbol_at(std::string_view name, std::size_t index) {
  return index < name.size() ? static_cast<unsigned char>(name[index]) + std::size_t{1} : 0;
}

// The byte at which a name first differs from `from` is another one, of course.
std::size_t expected_at(std::string_view from, std::size_t index, std::size_t shared) {
  return index > shared && index <= from.size() ? symbol_at(from, index) : kNoSymbol;
}

}  // namespace

// The more a name shares with `from`, the earlier it comes.
std::uint64_t code_of_name(std::string_view from, std::string_view name, unsigned bits) noexcept {
  if (name == from) return 0;
  const auto differs = std::mismatch(from.begin(), from.end(), name.begin(), name.end());
  const auto shared = static_cast<std::size_t>(differs.first - from.begin());
  auto range = whole_range(bits).of_part(from.size() - shared, from.size() + 1);
  for (std::size_t index = shared; range.width > 1; ++index) {
    const auto symbol = symbol_at(name, index);
    range = range.of_symbol(symbol, expected_at(from, index, shared));
    if (symbol == 0) break;
  }
  return range.low;
}

std::string begin_of_code(std::string_view from, std::uint64_t code, unsigned bits) {
  const auto whole = whole_range(bits);
  std::size_t part = 0;
  while (part < from.size() && whole.of_part(part, from.size() + 1).last() < code) ++part;
  auto range = whole.of_part(part, from.size() + 1);
  const auto shared = from.size() - part;
  std::string begin(from.substr(0, shared));
  while (range.width > 1 && range.low < code) {
    const auto expected = expected_at(from, begin.size(), shared);
    std::size_t symbol = 0;
    while (symbol + 1 < kSymbols && range.of_symbol(symbol, expected).last() < code) ++symbol;
    if (symbol == 0) break;
    begin.push_back(static_cast<char>(symbol - 1));
    range = range.of_symbol(symbol, expected);
  }
  return std::max(begin, std::string(from));
}

}  // namespace dgfs::view
