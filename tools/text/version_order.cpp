// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The order that the coreutils manual describes under "Version sort ordering": the order of
// Debian's package versions, with rules for hidden names and for endings.
#include "tools/text/version_order.h"

#include <algorithm>

#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

/// Rank of the first character of a part without digits: first '~', then the end, then letters,
/// then all others.
int rank(std::string_view rest) {
  if (rest.empty()) return -1;
  if (is_digit(rest[0])) return 0;
  if (rest[0] == '~') return -2;
  const int value = static_cast<unsigned char>(rest[0]);
  return is_letter(rest[0]) ? value : value + 256;
}

std::string_view take_digits(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of('0'), rest.size()));
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  const std::string_view digits(rest.begin(), end);
  rest.remove_prefix(digits.size());
  return digits;
}

int compare_parts(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    while ((!a.empty() && !is_digit(a[0])) || (!b.empty() && !is_digit(b[0]))) {
      if (const int difference = rank(a) - rank(b); difference != 0) return difference;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    const std::string_view x = take_digits(a);
    const std::string_view y = take_digits(b);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (const int difference = x.compare(y); difference != 0) return difference;
  }
  return 0;
}

/// Removes the endings: each is a dot, a letter or '~', and then letters, digits and '~'.
std::string_view without_endings(std::string_view name) {
  for (std::size_t i = 0;; ++i) {
    const std::size_t kept = i;
    while (i + 1 < name.size() && name[i] == '.' &&
           (is_letter(name[i + 1]) || name[i + 1] == '~')) {
      i += 2;
      while (i < name.size() && (is_letter(name[i]) || is_digit(name[i]) || name[i] == '~')) ++i;
    }
    if (i >= name.size()) return name.substr(0, kept);
  }
}

/// "." first, then "..", then hidden names, then the others.
int hidden_rank(std::string_view name) {
  if (name == ".") return 0;
  if (name == "..") return 1;
  return name.starts_with('.') ? 2 : 3;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(b.empty()) - static_cast<int>(a.empty());
  const int ranks = hidden_rank(a) - hidden_rank(b);
  if (ranks != 0) return ranks;
  const int difference = compare_parts(without_endings(a), without_endings(b));
  return difference != 0 ? difference : compare_parts(a, b);
}

}  // namespace dgfs::tools
