// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/quoting.h"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

namespace dgfs::tools {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool is_in(char32_t value, const Range* begin, const Range* end) {
  return std::any_of(begin, end,
                     [&](const Range& r) { return r.first <= value && value <= r.last; });
}

/// C0, DEL, C1, line and paragraph separators, and what reorders text around it.
constexpr Range kHarmful[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                              {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                              {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe007f}};

/// What a shell treats specially anywhere in a word; '#' and '~' matter at its beginning only.
bool needs_quotes(std::string_view name, const ShellQuoting& how) {
  if (name.empty() || name == "{" || name == "}") return true;
  if (name[0] == '#' || name[0] == '~') return true;
  if (name.find_first_of(" !\"$&()*;<=>[^`|'?\\\n\r\t") != std::string_view::npos) return true;
  if (name.find_first_of(how.also) != std::string_view::npos) return true;
  if (!how.escapes) return false;
  while (!name.empty()) {
    const std::size_t length = printable_bytes(name);
    if (length == 0) return true;
    name.remove_prefix(length);
  }
  return false;
}

/// Whether double quotes serve: an apostrophe, and nothing that is special between them.
bool fits_double_quotes(std::string_view name) {
  if (name.find('\'') == std::string_view::npos) return false;
  if (name[0] == '#' || name[0] == '~') name.remove_prefix(1);
  while (!name.empty()) {
    const std::size_t length = printable_bytes(name);
    const bool special = std::string_view("!\"$&()*;<=>[^`|?\\{}#~").find(name[0]) != name.npos;
    if (special || length == 0) return false;
    name.remove_prefix(length);
  }
  return true;
}

std::string quoted(std::string_view name, bool escapes) {
  if (fits_double_quotes(name)) return fmt::format("\"{}\"", name);
  std::string out = "'";
  bool open = true;  // inside '...', else inside $'...'
  while (!name.empty()) {
    const std::size_t length = escapes ? printable_bytes(name) : 1;
    if (length == 0) {
      if (std::exchange(open, false)) out += "'$'";
      out += escaped_byte(name[0]);
    } else if (name[0] == '\'') {
      open = true;
      out += "'\\''";
    } else {
      if (!std::exchange(open, true)) out += "''";
      out += name.substr(0, length);
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + "'";
}

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

std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0xc2 || byte(0) > 0xfd) return 1;
  const auto length = static_cast<std::size_t>(std::countl_one(byte(0)));
  const std::size_t present = std::min(length, text.size());
  std::uint32_t value = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < present; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 1;
    value = value << 6 | (byte(i) & 0x3fU);
  }
  if (present < length) return present;
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kLeast[length] || surrogate ? 1 : length;
}

std::size_t printable_bytes(std::string_view text) {
  const Utf8Character character = decode_utf8(text);
  if (character.length == 0) return 0;
  const bool harmful = is_in(character.value, std::begin(kHarmful), std::end(kHarmful));
  return harmful ? 0 : character.length;
}

std::string shell_quoted(std::string_view name, const ShellQuoting& how) {
  return how.always || needs_quotes(name, how) ? quoted(name, how.escapes) : std::string(name);
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

std::size_t display_width(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text.size();
  // The C library's tables of widths, whatever locale the process is in.
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = utf8 == nullptr ? nullptr : ::uselocale(utf8);
  std::size_t columns = 0;
  while (!text.empty()) {
    const char32_t value = decode_utf8(text).value;
    const bool control = value != 0 && (value < 0x20 || (value >= 0x7f && value < 0xa0));
    const int width = ::wcwidth(static_cast<wchar_t>(value));
    // What is malformed or unassigned is shown by one sign.
    columns += control ? 0U : value == 0 || width < 0 ? 1U : static_cast<unsigned>(width);
    text.remove_prefix(character_bytes(text));
  }
  if (before != nullptr) ::uselocale(before);
  return columns;
}

}  // namespace dgfs::tools
