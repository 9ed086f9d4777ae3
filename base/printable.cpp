// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dgfs {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool is_in(char32_t value, const Range* begin, const Range* end) {
  return std::any_of(begin, end,
                     [&](const Range& r) { return r.first <= value && value <= r.last; });
}

/// C0, DEL, C1, line and paragraph separators, and invisible characters that reorder or mark text.
constexpr Range kHarmful[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                              {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                              {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe007f}};

}  // namespace

Utf8Character decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return {};
  char32_t value = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[length] || value > 0x10ffff || surrogate) return {};
  return {value, length};
}

std::size_t printable_bytes(std::string_view text) {
  const Utf8Character character = decode_utf8(text);
  if (character.length == 0) return 0;
  const bool harmful = is_in(character.value, std::begin(kHarmful), std::end(kHarmful));
  return harmful ? 0 : character.length;
}

std::string escaped_byte(char byte) {
  switch (byte) {
    case '\a':
      return "\\a";
    case '\b':
      return "\\b";
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\v':
      return "\\v";
    case '\f':
      return "\\f";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
  }
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_bytes(text);
    out += length == 0 ? escaped_byte(text[0]) : std::string(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace dgfs
