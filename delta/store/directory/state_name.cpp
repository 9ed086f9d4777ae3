// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/state_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace dgfs::delta {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "base" and "newest", and words that --as-of takes for times.
bool is_reserved(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  constexpr std::array<std::string_view, 5> kReserved = {kBaseState, kNewestState, "now", "today",
                                                         "yesterday"};
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

Error bad_name(std::uint16_t code, std::string_view name, const char* rule) {
  return Error(ErrorKind::kInvalidArgument, code, fmt::format("\"{}\" {}", name, rule));
}

}  // namespace

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

Status check_state_name(std::string_view name) {
  if (name.empty() || name.size() > kStateNameBytesMax) {
    return bad_name(7532, name, "is no name of a state: it must have 1 to 64 characters");
  }
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
  };
  if (!std::all_of(name.begin(), name.end(), is_allowed)) {
    return bad_name(7533, name,
                    "is no name of a state: only letters, digits, '.', '_' and '-' are");
  }
  if (!is_letter(name.front()) && !is_digit(name.front())) {
    return bad_name(7534, name, "is no name of a state: it must begin with a letter or digit");
  }
  if (std::all_of(name.begin(), name.end(), is_hex_digit)) {
    return bad_name(7535, name, "is no name of a state: it would look like an id");
  }
  if (is_reserved(name)) {
    return bad_name(7536, name, "is reserved");
  }
  return ok();
}

bool is_state_name(std::string_view name) { return check_state_name(name).has_value(); }

}  // namespace dgfs::delta
