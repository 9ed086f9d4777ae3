// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/row.h"

namespace dgfs::format {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

}  // namespace

std::size_t make_successor(char* key, std::size_t key_bytes) {
  auto end = key_bytes;
  while (end > 0 && !is_digit(key[end - 1])) {
    if (key[end - 1] == '\0') return key_bytes;  // the name has no digits
    --end;
  }
  auto at = end;
  while (at > 0 && key[at - 1] == '9') --at;
  if (at == 0 || !is_digit(key[at - 1])) return key_bytes;
  const auto changed = at - 1;
  ++key[changed];
  for (; at < end; ++at) key[at] = '0';
  return changed;
}

bool is_successor(std::string_view before, std::string_view key, std::size_t shared_bytes) {
  if (before.size() != key.size() || shared_bytes >= key.size()) return false;
  if (!is_digit(before[shared_bytes]) || key[shared_bytes] != before[shared_bytes] + 1 ||
      !is_digit(key[shared_bytes])) {
    return false;
  }
  auto at = shared_bytes + 1;
  while (at < key.size() && before[at] == '9' && key[at] == '0') ++at;
  if (at < key.size() && is_digit(before[at])) return false;  // the digits go on without a carry
  for (; at < key.size(); ++at) {
    if (key[at] != before[at] || is_digit(key[at]) || key[at] == '\0') return false;
  }
  return true;
}

}  // namespace dgfs::format
