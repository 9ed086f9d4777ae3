// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/access_rules.h"

#include <algorithm>
#include <array>

#include "format/entry/access_list.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

using format::AccessList;
using format::AccessTag;

constexpr std::uint32_t kAccessBits = 0777;  // the bits that lists and umasks define
constexpr std::uint32_t kOneClass = 7;       // of owner, group and others
constexpr std::uint32_t kOwnerShift = 6;
constexpr std::uint32_t kGroupShift = 3;

std::optional<AccessList> valid_list(const std::optional<Buffer>& value) {
  return value ? format::parse_valid_access_list(*value) : std::nullopt;
}

/// Whether the list has only the owner, the owning group and others.
bool is_equivalent_to_mode(const AccessList& list) { return list.size() == 3; }

/// The group bits of a mode show the mask, if the list has one.
AccessTag group_class(const AccessList& list) {
  const bool has_mask =
      std::ranges::find(list, AccessTag::kMask, &format::AccessEntry::tag) != list.end();
  return has_mask ? AccessTag::kMask : AccessTag::kOwningGroup;
}

/// The shift in a mode of the entry's three bits; nullopt: the mode does not show the entry.
std::optional<std::uint32_t> shift_of(AccessTag tag, AccessTag group) {
  if (tag == AccessTag::kOwner) return kOwnerShift;
  if (tag == group) return kGroupShift;
  if (tag == AccessTag::kOther) return 0;
  return std::nullopt;
}

std::uint32_t bits_of(const AccessList& list) {
  const auto group = group_class(list);
  std::uint32_t bits = 0;
  for (const auto& entry : list) {
    if (const auto shift = shift_of(entry.tag, group)) bits |= entry.permissions << *shift;
  }
  return bits;
}

/// Gives the bits of the mode to the entries that the mode shows.
void set_bits(AccessList& list, std::uint32_t bits) {
  const auto group = group_class(list);
  for (auto& entry : list) {
    if (const auto shift = shift_of(entry.tag, group)) {
      entry.permissions = bits >> *shift & kOneClass;
    }
  }
}

std::uint32_t without_set_ids(std::uint32_t mode) {
  const bool may_group_execute = (mode & format::kGroupExecute) != 0;
  return mode & ~(format::kSetUserId | (may_group_execute ? format::kSetGroupId : 0));
}

std::uint32_t with_access_bits(std::uint32_t mode, std::uint32_t bits) {
  return (mode & ~kAccessBits) | bits;
}

// Linux parses a value before it looks at the object. No entries: the list is to be removed.
Result<AccessList> entries_of(Bytes value) {
  if (value.empty()) return AccessList();
  if (format::has_other_list_version(value)) {
    return Error(ErrorKind::kUnsupported, 7307, "an access list of an unknown version");
  }
  auto list = format::parse_access_list(value);
  if (list && format::has_sound_entries(*list)) return *std::move(list);
  return Error(ErrorKind::kInvalidArgument, 7301, "not an access list");
}

}  // namespace

Status check_may_have_xattr(std::uint32_t mode, std::string_view name) {
  if (!format::is_symlink(mode) || !format::is_access_list_xattr(name)) return ok();
  return Error(ErrorKind::kUnsupported, 7300, "a symlink has no access list");
}

Inherited inherit(const Attributes& parent, const std::optional<Buffer>& parents_default_list,
                  std::uint32_t mode, const Credentials& who) {
  const bool has_group_of_parent = (parent.mode & format::kSetGroupId) != 0;
  Inherited made = {.uid = who.uid, .gid = has_group_of_parent ? parent.gid : who.gid};
  if (format::is_symlink(mode)) {
    made.mode = format::kTypeSymlink | kAccessBits;
    return made;
  }
  if (has_group_of_parent && format::is_directory(mode)) mode |= format::kSetGroupId;
  auto list = valid_list(parents_default_list);
  if (!list) {
    made.mode = mode & ~(who.umask & kAccessBits);
    return made;
  }
  if (format::is_directory(mode)) made.default_list = parents_default_list;
  made.mode = with_access_bits(mode, mode & bits_of(*list));
  set_bits(*list, made.mode);
  if (!is_equivalent_to_mode(*list)) made.access_list = format::encode_access_list(*list);
  return made;
}

Chmod chmod(std::uint32_t mode, std::uint32_t permissions,
            const std::optional<Buffer>& access_list) {
  Chmod changed = {.mode = format::type_of(mode) | (permissions & format::kPermissionMask)};
  auto list = valid_list(access_list);
  if (!list) return changed;
  set_bits(*list, changed.mode);
  // Only an image has a list that says no more than the mode; Linux does not store one.
  changed.access_list = is_equivalent_to_mode(*list) ? Buffer() : format::encode_access_list(*list);
  return changed;
}

std::uint32_t chown_mode(std::uint32_t mode) {
  return format::is_directory(mode) ? mode : without_set_ids(mode);
}

std::uint32_t written_mode(std::uint32_t mode) {
  return format::is_regular(mode) ? without_set_ids(mode) : mode;
}

Result<AccessListSet> set_access_list(std::uint32_t mode, Bytes value) {
  DGFS_TRY(entries, entries_of(value));
  DGFS_CHECK(check_may_have_xattr(mode, format::kAccessListXattr));
  if (entries.empty()) return AccessListSet{.mode = mode};
  const auto list = format::parse_valid_access_list(value);
  if (!list) return Error(ErrorKind::kInvalidArgument, 7308, "not a valid access list");
  AccessListSet set = {.mode = with_access_bits(mode, bits_of(*list))};
  if (!is_equivalent_to_mode(*list)) set.access_list = format::encode_access_list(*list);
  return set;
}

Result<Buffer> set_default_list(std::uint32_t mode, Bytes value) {
  DGFS_TRY(entries, entries_of(value));
  DGFS_CHECK(check_may_have_xattr(mode, format::kDefaultListXattr));
  if (entries.empty()) return Buffer();
  if (!format::is_directory(mode)) {
    return Error(ErrorKind::kPermission, 7302, "only a directory has a default access list");
  }
  const auto list = format::parse_valid_access_list(value);
  if (!list) return Error(ErrorKind::kInvalidArgument, 7303, "not a valid default access list");
  return format::encode_access_list(*list);
}

Status check_xattr_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kPrefixes = {"user.", "trusted.", "security."};
  if (name.empty() || name.size() > format::kXattrNameBytesMax) {
    return Error(ErrorKind::kOutOfRange, 7304, "attribute names have 1 to 255 bytes");
  }
  const auto is_prefix = [&](std::string_view prefix) { return name == prefix; };
  if (name.find('\0') != std::string_view::npos || std::ranges::any_of(kPrefixes, is_prefix)) {
    return Error(ErrorKind::kInvalidArgument, 7305, "not a name of an attribute");
  }
  const auto begins_name = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const bool is_known =
      format::is_access_list_xattr(name) || std::ranges::any_of(kPrefixes, begins_name);
  if (is_known) return ok();
  return Error(ErrorKind::kUnsupported, 7306, "attributes with this prefix are not supported");
}

}  // namespace dgfs::view
