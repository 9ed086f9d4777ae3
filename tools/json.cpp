// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/json.h"

#include <fmt/format.h>

#include "tools/quoting.h"

namespace dgfs::tools {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = decode_utf8(text);
    if (character.length == 0) {
      out += fmt::format("\\udc{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (text[0] == '"' || text[0] == '\\') {
      out += '\\';
      out += text[0];
    } else if (character.value < 0x20 || character.value == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(character.value));
    } else {
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
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

}  // namespace dgfs::tools
