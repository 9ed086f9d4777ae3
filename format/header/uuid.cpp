// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/uuid.h"

#include <optional>

namespace dgfs::format {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kUuidTextBytes = 36;

constexpr bool is_dash_place(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

std::optional<std::uint8_t> digit_value(char digit) {
  if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
  const auto at = kDigits.find(digit);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint8_t>(at);
}

Error not_a_uuid(std::string_view text) {
  return Error(ErrorKind::kInvalidArgument, 2880,
               "'" + std::string(text.substr(0, kUuidTextBytes)) + "' is not a UUID");
}

}  // namespace

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (const auto byte : uuid) {
    if (is_dash_place(text.size())) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != kUuidTextBytes) return not_a_uuid(text);
  Uuid uuid{};
  std::size_t nibble = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_dash_place(at)) {
      if (text[at] != '-') return not_a_uuid(text);
      continue;
    }
    const auto value = digit_value(text[at]);
    if (!value) return not_a_uuid(text);
    auto& byte = uuid[nibble++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | *value);
  }
  return uuid;
}

}  // namespace dgfs::format
