// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/access_list.h"

#include "format/coding.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kListVersionBytes = 4;
constexpr std::size_t kListEntryBytes = 8;
constexpr std::uint32_t kListVersion = 2;
constexpr std::uint32_t kAllPermissions = 7;

std::optional<std::uint32_t> permissions_of(const AccessList& list, AccessTag tag) {
  for (const auto& entry : list) {
    if (entry.tag == tag) return entry.permissions;
  }
  return std::nullopt;
}

}  // namespace

std::optional<AccessList> parse_access_list(Bytes value) {
  const bool is_list = value.size() >= kListVersionBytes &&
                       (value.size() - kListVersionBytes) % kListEntryBytes == 0 &&
                       load<std::uint32_t>(value, 0) == kListVersion;
  if (!is_list) return std::nullopt;
  AccessList list;
  list.reserve(value.size() / kListEntryBytes);
  for (std::size_t at = kListVersionBytes; at < value.size(); at += kListEntryBytes) {
    list.push_back({.tag = AccessTag{load<std::uint16_t>(value, at)},
                    .permissions = load<std::uint16_t>(value, at + 2) & kAllPermissions,
                    .id = load<std::uint32_t>(value, at + 4)});
  }
  return list;
}

std::uint32_t mask_of(const AccessList& list) {
  return permissions_of(list, AccessTag::kMask).value_or(kAllPermissions);
}

std::optional<std::uint32_t> owning_group_of(const AccessList& list) {
  const auto group = permissions_of(list, AccessTag::kOwningGroup);
  if (!group) return std::nullopt;
  return *group & mask_of(list);
}

}  // namespace dgfs::format
