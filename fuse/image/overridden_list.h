// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Access control lists that an override of owner or group disables: the shown permissions must then
// give no user more than the lists did.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "fuse/image/image_file_system.h"

namespace dgfs::fuse {

/// Permissions of an object whose list is disabled. With a list, the group bits of the mode are the
/// most that any user except owner and others gets. They become the permissions of the owning
/// group, and group and others lose every permission that the list denies to a user or group that
/// it names.
/// @param value  value of format::kAccessListXattr; a malformed one leaves only the owner's bits
[[nodiscard]] std::uint32_t mode_without_list(std::uint32_t mode, Bytes value);

/// The node as the mount shows it. Takes one side read if its list is disabled, otherwise none.
/// Errors: those of Image::xattrs().
[[nodiscard]] Result<reader::Node> without_list(const ImageFileSystem& mounted, reader::Node node);

}  // namespace dgfs::fuse
