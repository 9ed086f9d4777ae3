// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Rights of a file that end when somebody else changes it: set-user-id and set-group-id bits, and
// capabilities (inode(7), capabilities(7)).
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>
#include <string_view>

#include "fuse/view/view_file_system.h"

namespace dgfs::fuse {

/// The extended attribute that holds capabilities.
inline constexpr std::string_view kCapabilityXattr = "security.capability";

/// Whether permissions have bits that may end.
[[nodiscard]] bool has_set_ids(std::uint32_t permissions);
/// The permissions that are left when the user of a request changes the file. A set-group-id bit of
/// what its group may not execute stays if he is in that group.
[[nodiscard]] std::uint32_t without_set_ids(fuse_req_t request, const view::Attributes& file);

/// Takes them before contents change. The kernel, which caches attributes, is told.
/// @param takes_set_ids  false: whoever changes it may keep these bits; capabilities go all the
///                       same.
/// Errors: those of View::set_attributes and remove_xattr. Cost: nothing where it is known that
/// there are none, as it is of a file that was written to before.
[[nodiscard]] Status take_rights(fuse_req_t request, ViewFileSystem& mounted, std::uint64_t inode,
                                 bool takes_set_ids);

/// Takes the capabilities of a file alone: nothing where it has none.
/// Returns whether it had some. Errors: those of View::remove_xattr.
[[nodiscard]] Result<bool> take_capabilities(view::View& view, std::uint64_t inode);

}  // namespace dgfs::fuse
