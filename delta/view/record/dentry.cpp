// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/record/dentry.h"

#include "delta/view/record/keys.h"

namespace dgfs::view {
namespace {

constexpr std::size_t kDentryBytes = kNumberValueBytes + 2;
constexpr unsigned kTypeShift = 12;

}  // namespace

std::string encode_dentry(const Dentry& dentry) {
  auto value = number_value(dentry.object);
  value += static_cast<char>(dentry.type >> kTypeShift);
  value += static_cast<char>(dentry.hides_lower ? 1 : 0);
  return value;
}

std::optional<Dentry> decode_dentry(std::string_view value) {
  if (value.size() != kDentryBytes) return std::nullopt;
  Dentry dentry;
  dentry.object = number_of_value(value.substr(0, kNumberValueBytes)).value_or(0);
  dentry.type = std::uint32_t{static_cast<std::uint8_t>(value[kNumberValueBytes])} << kTypeShift;
  const char flag = value[kNumberValueBytes + 1];
  dentry.hides_lower = flag == 1;
  if (dentry.object == 0 || !format::is_valid_mode(dentry.type) || (flag & ~1) != 0) {
    return std::nullopt;
  }
  return dentry;
}

}  // namespace dgfs::view
