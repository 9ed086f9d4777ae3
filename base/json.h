// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// JSON output: objects built member by member, printed on one line.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs {

/// A JSON string literal of printable characters only. Control characters, and characters that
/// reorder the text around them, become \uXXXX. Names are bytes but JSON is Unicode, so each byte
/// that is not part of valid UTF-8 becomes a lone surrogate U+DC80..U+DCFF. Valid UTF-8 cannot hold
/// one, so every name can be recovered exactly; Python's "surrogateescape" does so.
[[nodiscard]] std::string json_string(std::string_view text);

/// One object; members appear in the order in which they were added.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) {
    return add_raw(name, json_string(text));
  }
  JsonObject& add(std::string_view name, const char* text) {
    return add(name, std::string_view(text));
  }
  template <std::integral Number>
  JsonObject& add(std::string_view name, Number value) {
    if constexpr (std::same_as<Number, bool>) {
      return add_raw(name, value ? "true" : "false");
    } else {
      return add_raw(name, std::to_string(value));
    }
  }
  JsonObject& add(std::string_view name, double value);
  JsonObject& add(std::string_view name, const JsonObject& value) {
    return add_raw(name, value.text());
  }
  /// @param json  a complete JSON value
  JsonObject& add_raw(std::string_view name, std::string_view json);

  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }
  [[nodiscard]] std::string line() const { return text() + "\n"; }

 private:
  std::string members_;
};

}  // namespace dgfs
