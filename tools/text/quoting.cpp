// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/quoting.h"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace dgfs::tools {
namespace {

/// The character tables of the C library, independent of the process's locale; null if the system
/// lacks them.
locale_t utf8_locale() {
  static const locale_t kLocale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kLocale;
}

/// While an object of this class exists, wcwidth() uses those tables in this thread.
class WidthTables {
 public:
  WidthTables() : before_(utf8_locale() == nullptr ? nullptr : ::uselocale(utf8_locale())) {}
  ~WidthTables() {
    if (before_ != nullptr) ::uselocale(before_);
  }
  WidthTables(const WidthTables&) = delete;
  WidthTables& operator=(const WidthTables&) = delete;

 private:
  locale_t before_;
};

int width_of(char32_t value) { return ::wcwidth(static_cast<wchar_t>(value)); }

bool is_plain(char c) { return c >= ' ' && c < '\x7f'; }

/// Whether a shell treats a character of the name specially; '#' and '~' only at its beginning.
bool needs_quotes(std::string_view name, const ShellQuoting& how) {
  if (name.empty() || name == "{" || name == "}") return true;
  if (name[0] == '#' || name[0] == '~') return true;
  if (name.find_first_of(" !\"$&()*;<=>[^`|'?\\\n\r\t") != std::string_view::npos) return true;
  if (name.find_first_of(how.also) != std::string_view::npos) return true;
  if (!how.escapes) return false;
  while (!name.empty()) {
    const std::size_t length = printed_bytes(name, how.printed);
    if (length == 0) return true;
    name.remove_prefix(length);
  }
  return false;
}

/// Whether double quotes suffice: the name has an apostrophe, but nothing special inside of "".
bool fits_double_quotes(std::string_view name, Printed printed) {
  if (name.find('\'') == std::string_view::npos) return false;
  if (name[0] == '#' || name[0] == '~') name.remove_prefix(1);
  while (!name.empty()) {
    const std::size_t length = printed_bytes(name, printed);
    const bool special = std::string_view("!\"$&()*;<=>[^`|?\\{}#~").find(name[0]) != name.npos;
    if (special || length == 0) return false;
    name.remove_prefix(length);
  }
  return true;
}

std::string quoted(std::string_view name, const ShellQuoting& how) {
  if (fits_double_quotes(name, how.printed)) {
    // As in ls: if quotes are added anyway, the further characters are escaped as well.
    return '"' + c_escaped(name, how.always ? how.also : "", how.printed) + '"';
  }
  std::string out = "'";
  bool open = true;  // inside '...', else inside $'...'
  while (!name.empty()) {
    const std::size_t length = how.escapes ? printed_bytes(name, how.printed) : 1;
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

std::size_t printed_bytes(std::string_view text, Printed printed) {
  if (is_plain(text[0])) return 1;
  const Utf8Character character = decode_utf8(text);
  const bool harmless = printable_bytes(text) != 0;
  if (character.length == 0 || utf8_locale() == nullptr) return harmless ? character.length : 0;
  const bool known = ::iswprint_l(static_cast<wint_t>(character.value), utf8_locale()) != 0;
  return known && (harmless || printed == Printed::kAsGnu) ? character.length : 0;
}

std::string c_escaped(std::string_view name, std::string_view also, Printed printed) {
  std::string out;
  while (!name.empty()) {
    const std::size_t length = printed_bytes(name, printed);
    if (length == 0) {
      out += escaped_byte(name[0]);
    } else {
      if (name[0] == '\\' || also.find(name[0]) != std::string_view::npos) out += '\\';
      out += name.substr(0, length);
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string with_question_marks(std::string_view name) {
  const WidthTables tables;
  std::string out;
  while (!name.empty()) {
    const std::size_t length = character_bytes(name);
    const Utf8Character character = decode_utf8(name);
    out += character.length != 0 && width_of(character.value) >= 0 ? name.substr(0, length) : "?";
    name.remove_prefix(length);
  }
  return out;
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

std::string shell_quoted(std::string_view name, const ShellQuoting& how) {
  return how.always || needs_quotes(name, how) ? quoted(name, how) : std::string(name);
}

std::size_t display_width(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return text.size();
  const WidthTables tables;
  std::size_t columns = 0;
  while (!text.empty()) {
    const char32_t value = decode_utf8(text).value;
    const bool control = value != 0 && ::iswcntrl(static_cast<wint_t>(value)) != 0;
    const int width = width_of(value);
    // A malformed or unassigned character is shown as one sign.
    columns += control ? 0U : value == 0 || width < 0 ? 1U : static_cast<unsigned>(width);
    text.remove_prefix(character_bytes(text));
  }
  return columns;
}

}  // namespace dgfs::tools
