// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/state_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace dgfs::delta {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Error bad_name(std::uint16_t code, std::string_view name, const char* rule) {
  return Error(ErrorKind::kInvalidArgument, code, fmt::format("\"{}\" {}", name, rule));
}

}  // namespace

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

Status check_state_name(std::string_view name) {
  if (name.empty() || name.size() > kStateNameBytesMax) {
    return bad_name(7480, name, "is no name of a state: it must have 1 to 64 characters");
  }
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
  };
  if (!std::all_of(name.begin(), name.end(), is_allowed)) {
    return bad_name(7481, name,
                    "is no name of a state: only letters, digits, '.', '_' and '-' are");
  }
  if (!is_letter(name.front()) && !is_digit(name.front())) {
    return bad_name(7482, name, "is no name of a state: it must begin with a letter or digit");
  }
  if (std::all_of(name.begin(), name.end(), is_hex_digit)) {
    return bad_name(7483, name, "is no name of a state: it would look like an id");
  }
  if (name == kBaseState || name == kNewestState) {
    return bad_name(7484, name, "is reserved");
  }
  return ok();
}

bool is_state_name(std::string_view name) { return check_state_name(name).has_value(); }

}  // namespace dgfs::delta
