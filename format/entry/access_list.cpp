// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/access_list.h"

#include <algorithm>

#include "format/coding.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kListVersionBytes = 4;
constexpr std::size_t kListEntryBytes = 8;
constexpr std::uint32_t kListVersion = 2;
constexpr std::uint32_t kAllPermissions = 7;
constexpr std::uint32_t kNoId = 0xFFFFFFFF;

std::optional<std::uint32_t> permissions_of(const AccessList& list, AccessTag tag) {
  for (const auto& entry : list) {
    if (entry.tag == tag) return entry.permissions;
  }
  return std::nullopt;
}

bool has_id(AccessTag tag) { return tag == AccessTag::kUser || tag == AccessTag::kGroup; }

/// Checks the raw value, since parse_access_list() keeps only three bits of each field.
bool has_permissions_beyond(Bytes value) {
  for (std::size_t at = kListVersionBytes; at < value.size(); at += kListEntryBytes) {
    if (load<std::uint16_t>(value, at + 2) > kAllPermissions) return true;
  }
  return false;
}

/// Linux requires this order, in which the numbers of the tags rise.
bool is_in_order(const AccessList& list) {
  return std::ranges::adjacent_find(list, [](const AccessEntry& left, const AccessEntry& right) {
           return left.tag > right.tag || (left.tag == right.tag && !has_id(left.tag));
         }) == list.end();
}

constexpr std::uint32_t bit_of(AccessTag tag) { return static_cast<std::uint32_t>(tag); }

/// Whether `tag` is one of the six, without other bits.
bool is_known(AccessTag tag) {
  switch (tag) {
    case AccessTag::kOwner:
    case AccessTag::kUser:
    case AccessTag::kOwningGroup:
    case AccessTag::kGroup:
    case AccessTag::kMask:
    case AccessTag::kOther:
      return true;
  }
  return false;
}

bool has_needed_tags(const AccessList& list) {
  std::uint32_t tags = 0;
  for (const auto& entry : list) tags |= bit_of(entry.tag);
  std::uint32_t needed =
      bit_of(AccessTag::kOwner) | bit_of(AccessTag::kOwningGroup) | bit_of(AccessTag::kOther);
  const bool has_named = (tags & (bit_of(AccessTag::kUser) | bit_of(AccessTag::kGroup))) != 0;
  if (has_named) needed |= bit_of(AccessTag::kMask);
  return (tags & needed) == needed;
}

bool is_valid(const AccessList& list) {
  return has_sound_entries(list) && is_in_order(list) && has_needed_tags(list);
}

}  // namespace

bool has_other_list_version(Bytes value) {
  return value.size() >= kListVersionBytes && load<std::uint32_t>(value, 0) != kListVersion;
}

bool has_sound_entries(const AccessList& list) {
  return std::ranges::all_of(list, [](const AccessEntry& entry) {
    return is_known(entry.tag) && !(has_id(entry.tag) && entry.id == kNoId);
  });
}

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

std::optional<AccessList> parse_valid_access_list(Bytes value) {
  auto list = parse_access_list(value);
  if (!list || has_permissions_beyond(value) || !is_valid(*list)) return std::nullopt;
  return list;
}

Buffer encode_access_list(const AccessList& list) {
  Buffer value;
  value.reserve(kListVersionBytes + list.size() * kListEntryBytes);
  Encoder encoder(value);
  encoder.fixed(kListVersion);
  for (const auto& entry : list) {
    encoder.fixed(static_cast<std::uint16_t>(entry.tag));
    encoder.fixed(static_cast<std::uint16_t>(entry.permissions));
    encoder.fixed(has_id(entry.tag) ? entry.id : kNoId);
  }
  return value;
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
