// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Rules of Linux for the mode, the access lists and the extended attributes of an object (inode(7),
// acl(5), chmod(2), chown(2), xattr(7)): their first values, and how a change of one affects the
// others. The functions know neither image nor store.
//
// Some decisions of Linux depend on the groups and capabilities of the calling process, which only
// the caller of these functions knows. open(2), chmod(2), chown(2) and a new access list clear
// S_ISGID of a file whose group the process is not in: the caller clears the bit itself. A write
// keeps the bits if the process may set them: the caller then does not call written_mode().
//
// A stored list that Linux would refuse counts as absent: an image may have one, and no permissions
// can be derived from it. It stays stored until a list is set or removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// The first values of a new object. A value.
struct Inherited {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mode = 0;                             ///< type and permissions
  std::optional<Buffer> access_list = std::nullopt;   ///< only if it says more than the mode
  std::optional<Buffer> default_list = std::nullopt;  ///< directories only
};

/// A symlink has mode 0777 and no list, whatever is requested.
/// @param parent                the directory in which the object is made
/// @param parents_default_list  value of its default list
/// @param mode                  requested type and 12 permission bits
/// @param who                   its umask applies only if there is no default list
[[nodiscard]] Inherited inherit(const Attributes& parent,
                                const std::optional<Buffer>& parents_default_list,
                                std::uint32_t mode, const Credentials& who);

/// Mode and access list after a chmod. A value.
struct Chmod {
  std::uint32_t mode = 0;  ///< type and permissions
  /// The list to be stored. Empty: the stored one is removed. nullopt: it stays.
  std::optional<Buffer> access_list = std::nullopt;
};

/// @param mode         type and permissions before
/// @param permissions  12 bits
/// @param access_list  the stored value
[[nodiscard]] Chmod chmod(std::uint32_t mode, std::uint32_t permissions,
                          const std::optional<Buffer>& access_list);

/// The mode after a change of owner or group, even to the same: clears S_ISUID, and S_ISGID if the
/// group may execute. A directory keeps both.
[[nodiscard]] std::uint32_t chown_mode(std::uint32_t mode);

/// The mode after a write or a change of length: as chown_mode(), but only for regular files.
[[nodiscard]] std::uint32_t written_mode(std::uint32_t mode);

/// Mode and access list after a list was set. A value.
struct AccessListSet {
  std::uint32_t mode = 0;   ///< type and permissions
  Buffer access_list = {};  ///< in the form that Linux returns; empty: none is stored
};

/// The mode takes its bits from an access list. The list is stored only if it says more than the
/// mode. A value without entries, or of no bytes, removes the list and leaves the mode unchanged,
/// like removexattr(2); this succeeds even if there is no list.
/// @param mode   type and permissions before
/// @param value  of format::kAccessListXattr
/// Errors: kUnsupported (a symlink, or a list of another version); kInvalidArgument (Linux would
/// refuse the list). A malformed value is reported before the symlink.
[[nodiscard]] Result<AccessListSet> set_access_list(std::uint32_t mode, Bytes value);

/// A default list is always stored. A value without entries, or of no bytes, removes it, like
/// removexattr(2), from anything but a symlink; this succeeds even if there is none.
/// @param mode   type and permissions of the object
/// @param value  of format::kDefaultListXattr
/// @return  in the form that Linux returns; empty: none is stored
/// Errors: those of set_access_list(); kPermission (a list for anything but a directory).
[[nodiscard]] Result<Buffer> set_default_list(std::uint32_t mode, Bytes value);

/// Whether an object of this mode may have an attribute of a valid name set or removed. Errors:
/// kUnsupported (an access list of a symlink).
[[nodiscard]] Status check_may_have_xattr(std::uint32_t mode, std::string_view name);

/// Whether an extended attribute may have this name: "user.", "trusted." or "security." followed by
/// something, or one of the two lists. Errors: kOutOfRange (empty, or longer than 255 bytes),
/// kInvalidArgument (only a prefix, or a NUL), kUnsupported (all others).
[[nodiscard]] Status check_xattr_name(std::string_view name);

}  // namespace dgfs::view
