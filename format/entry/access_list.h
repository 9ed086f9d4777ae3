// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Access control lists as the system keeps them in extended attributes (acl(5), acl_ea_entry of
// linux/posix_acl_xattr.h): a version of 4 bytes, 2, then entries of a tag and permissions, 2 bytes
// each, and an id of 4 bytes, all little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace dgfs::format {

/// The attribute with the capabilities of a program (capabilities(7)).
inline constexpr std::string_view kCapabilityXattr = "security.capability";
/// The attribute with the list that the system judges access by.
inline constexpr std::string_view kAccessListXattr = "system.posix_acl_access";
/// The attribute with the list that a directory gives to new names in it.
inline constexpr std::string_view kDefaultListXattr = "system.posix_acl_default";

[[nodiscard]] constexpr bool is_access_list_xattr(std::string_view name) {
  return name == kAccessListXattr || name == kDefaultListXattr;
}

/// Of whom an entry speaks; the system's numbers.
enum class AccessTag : std::uint16_t {
  kOwner = 0x01,
  kUser = 0x02,
  kOwningGroup = 0x04,
  kGroup = 0x08,
  kMask = 0x10,
  kOther = 0x20,
};

struct AccessEntry {
  AccessTag tag = AccessTag::kOwner;
  std::uint32_t permissions = 0;  // 0 to 7: read 4, write 2, execute 1
  std::uint32_t id = 0;           // of a user or group that the tag asks for

  friend bool operator==(const AccessEntry&, const AccessEntry&) = default;
};

using AccessList = std::vector<AccessEntry>;

/// @param value  of one of the two attributes
/// @return  its entries in their order; nullopt where it is no list, or is cut
[[nodiscard]] std::optional<AccessList> parse_access_list(Bytes value);

/// Whether a value tells the version of lists, and another one than Linux knows: 2.
[[nodiscard]] bool has_other_list_version(Bytes value);
/// Whether each entry by itself may be one: it has one of the six tags, and an id where that asks
/// for one, whose bits are not all set.
[[nodiscard]] bool has_sound_entries(const AccessList& list);

/// The entries of a list that Linux would take: first the owner, then users, the owning group,
/// groups, the mask and others, in this order. Owner, owning group and others are there once, the
/// mask at most once, and not missing where a user or a group is. No permissions are above 7, and
/// no id of a user or a group has all bits set. The ids may be in any order, and come twice.
/// @param value  of one of the two attributes
/// @return  nullopt where parse_access_list() gives none, or Linux would refuse the list
[[nodiscard]] std::optional<AccessList> parse_valid_access_list(Bytes value);

/// The value of an attribute with these entries, in their order. As in Linux, all bits of an id are
/// set where the tag asks for none.
[[nodiscard]] Buffer encode_access_list(const AccessList& list);

/// The most that the list gives to anybody but owner and others: 7 without a mask.
[[nodiscard]] std::uint32_t mask_of(const AccessList& list);

/// The permissions that the owning group has, with the mask; nullopt where no entry speaks of it.
[[nodiscard]] std::optional<std::uint32_t> owning_group_of(const AccessList& list);

}  // namespace dgfs::format
