// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace dgfs {

namespace {

/// \uXXXX; a pair of them (surrogates) for a character beyond the first plane.
std::string escaped(char32_t value) {
  const auto unit = static_cast<unsigned>(value);
  if (unit < 0x10000) return fmt::format("\\u{:04x}", unit);
  const unsigned rest = unit - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = decode_utf8(text);
    if (character.length == 0) {
      out += fmt::format("\\udc{:02x}", static_cast<unsigned char>(text[0]));
    } else if (printable_bytes(text) == 0) {
      out += escaped(character.value);
    } else {
      if (text[0] == '"' || text[0] == '\\') out += '\\';
      out += text.substr(0, character.length);
    }
    text.remove_prefix(std::max<std::size_t>(character.length, 1));
  }
  return out + "\"";
}

JsonObject& JsonObject::add(std::string_view name, double value) {
  return add_raw(name, fmt::format("{:.6g}", value));
}

JsonObject& JsonObject::add_raw(std::string_view name, std::string_view json) {
  if (!members_.empty()) members_ += ",";
  members_ += json_string(name);
  members_ += ":";
  members_ += json;
  return *this;
}

}  // namespace dgfs
