// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Access control lists that an override of owner or group puts out of effect: what their objects
// show must then give nobody more than they did.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "fuse/image/image_file_system.h"

namespace dgfs::fuse {

/// Permissions of an object whose list no longer counts. Beside a list the group's bits are the
/// most that anybody but owner and others has; they become those of the owning group, and what the
/// list keeps from anybody whom it names, the group and others do not get either.
/// @param value  of format::kAccessListXattr; a malformed one leaves the owner's bits only
[[nodiscard]] std::uint32_t mode_without_list(std::uint32_t mode, Bytes value);

/// The node as it is to be shown. One side read where its list is put out of effect, none
/// otherwise. Errors: those of Image::xattrs().
[[nodiscard]] Result<reader::Node> without_list(const ImageFileSystem& mounted, reader::Node node);

}  // namespace dgfs::fuse
