// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Rules of Linux for the mode, the access lists and the extended attributes of an object (inode(7),
// acl(5), chmod(2), chown(2), xattr(7)): how an object begins, and how a change of one thing
// changes the others. The functions know neither image nor store.
//
// Linux decides some things by the groups and capabilities of the process that asks. open(2),
// chmod(2), chown(2) and a new access list take S_ISGID from a file of a group that the process is
// not in; a write leaves the bits alone if the process may set them. The caller knows the process:
// it takes the bit itself there, and does not call written_mode() here.
//
// A stored list that Linux would refuse counts as absent: an image may have one, and nothing can be
// derived from it. It stays as it is until a list is set or removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// How a new object begins. A value.
struct Inherited {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mode = 0;                             ///< type and permissions
  std::optional<Buffer> access_list = std::nullopt;   ///< only where the mode does not say the same
  std::optional<Buffer> default_list = std::nullopt;  ///< directories only
};

/// A symlink has 0777 and no list, whatever is asked for.
/// @param parent                the directory in which the object is made
/// @param parents_default_list  value of its default list
/// @param mode                  type and 12 bits that are asked for
/// @param who                   its umask counts only without a default list
[[nodiscard]] Inherited inherit(const Attributes& parent,
                                const std::optional<Buffer>& parents_default_list,
                                std::uint32_t mode, const Credentials& who);

/// Mode and access list after a chmod. A value.
struct Chmod {
  std::uint32_t mode = 0;  ///< type and permissions
  /// To be stored. Empty: the stored one goes. nullopt: it stays as it is.
  std::optional<Buffer> access_list = std::nullopt;
};

/// @param mode         type and permissions before
/// @param permissions  12 bits
/// @param access_list  value that is stored
[[nodiscard]] Chmod chmod(std::uint32_t mode, std::uint32_t permissions,
                          const std::optional<Buffer>& access_list);

/// The mode after a change of owner or group, also to the same: S_ISUID goes, and S_ISGID where the
/// group may execute. A directory keeps both.
[[nodiscard]] std::uint32_t chown_mode(std::uint32_t mode);

/// The mode after a write or a change of length: as chown_mode(), and of regular files alone.
[[nodiscard]] std::uint32_t written_mode(std::uint32_t mode);

/// Mode and access list after a list was set. A value.
struct AccessListSet {
  std::uint32_t mode = 0;   ///< type and permissions
  Buffer access_list = {};  ///< as Linux tells it; empty: none is stored
};

/// The mode takes its bits from an access list. The list is stored only where it says more than the
/// mode does. A value without entries, or of no bytes, removes the list and leaves the mode alone;
/// so does removexattr(2), also where there is no list.
/// @param mode   type and permissions before
/// @param value  of format::kAccessListXattr
/// Errors: kUnsupported (a symlink, or a list of another version); kInvalidArgument (no list that
/// Linux would take). A value that is no list at all is told before the symlink.
[[nodiscard]] Result<AccessListSet> set_access_list(std::uint32_t mode, Bytes value);

/// A default list is stored whatever it says. A value without entries, or of no bytes, removes it,
/// also where there is none; so does removexattr(2), from anything but a symlink.
/// @param mode   type and permissions of the object
/// @param value  of format::kDefaultListXattr
/// @return  as Linux tells it; empty: none is stored
/// Errors: those of set_access_list(); kPermission (a list for anything but a directory).
[[nodiscard]] Result<Buffer> set_default_list(std::uint32_t mode, Bytes value);

/// Whether an object of this mode may have, or lose, an attribute of a valid name. Errors:
/// kUnsupported (an access list of a symlink).
[[nodiscard]] Status check_may_have_xattr(std::uint32_t mode, std::string_view name);

/// Whether an extended attribute may have this name: "user.", "trusted." or "security." and
/// something behind it, or one of the two lists. Errors: kOutOfRange (empty, or longer than 255
/// bytes), kInvalidArgument (nothing behind the prefix, or a NUL), kUnsupported (all others).
[[nodiscard]] Status check_xattr_name(std::string_view name);

}  // namespace dgfs::view
