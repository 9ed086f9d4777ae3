// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Access control lists as the system stores them in extended attributes (acl(5), acl_ea_entry of
// linux/posix_acl_xattr.h). A list has a version of 4 bytes, which is 2, and then entries. An entry
// has a tag and permissions of 2 bytes each and an id of 4 bytes, all little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace dgfs::format {

/// The attribute with the capabilities of a program (capabilities(7)).
inline constexpr std::string_view kCapabilityXattr = "security.capability";
/// The attribute with the list by which the system grants access.
inline constexpr std::string_view kAccessListXattr = "system.posix_acl_access";
/// The attribute with the list that new names in a directory inherit.
inline constexpr std::string_view kDefaultListXattr = "system.posix_acl_default";

[[nodiscard]] constexpr bool is_access_list_xattr(std::string_view name) {
  return name == kAccessListXattr || name == kDefaultListXattr;
}

/// The users that an entry is for; the system's numbers.
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
  std::uint32_t id = 0;           // of a user or group, if the tag needs one

  friend bool operator==(const AccessEntry&, const AccessEntry&) = default;
};

using AccessList = std::vector<AccessEntry>;

/// @param value  of one of the two attributes
/// @return  its entries in their order; nullopt if it is not a list, or is cut off
[[nodiscard]] std::optional<AccessList> parse_access_list(Bytes value);

/// Whether a value states a version of lists other than 2, the only one that Linux knows.
[[nodiscard]] bool has_other_list_version(Bytes value);
/// Whether each entry is valid by itself: it has one of the six tags, and if the tag needs an id,
/// not all bits of the id are set.
[[nodiscard]] bool has_sound_entries(const AccessList& list);

/// The entries of a list that Linux would accept. They are in this order: owner, users, owning
/// group, groups, mask, others. Owner, owning group and others occur once. The mask occurs at most
/// once, and must occur if there is a user or a group. No permissions are above 7, and no id of a
/// user or a group has all bits set. Ids may be in any order and repeat.
/// @param value  of one of the two attributes
/// @return  nullopt if parse_access_list() gives none, or Linux would refuse the list
[[nodiscard]] std::optional<AccessList> parse_valid_access_list(Bytes value);

/// The value of an attribute with these entries in their order. As in Linux, all bits of an id are
/// set if the tag needs none.
[[nodiscard]] Buffer encode_access_list(const AccessList& list);

/// The most permissions that anyone but owner and others can get from the list; 7 without a mask.
[[nodiscard]] std::uint32_t mask_of(const AccessList& list);

/// The permissions of the owning group after the mask; nullopt if the list has no entry for it.
[[nodiscard]] std::optional<std::uint32_t> owning_group_of(const AccessList& list);

}  // namespace dgfs::format
