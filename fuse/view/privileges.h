// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Privileges of a file that end when somebody else changes it: set-user-id and set-group-id bits,
// and capabilities (inode(7), capabilities(7)).
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>

#include "fuse/view/view_file_system.h"

namespace dgfs::fuse {

/// Whether permissions have bits that may end.
[[nodiscard]] bool has_set_ids(std::uint32_t permissions);
/// The bits that end when the user of a request changes the file. A set-group-id bit stays where
/// the group may not execute the file and the user is in the group.
[[nodiscard]] std::uint32_t set_ids_to_clear(fuse_req_t request, const view::Attributes& file);

/// Drops them before contents change, and tells the kernel, which caches attributes. For a request
/// whose user has the file open: the kernel waits for pages of an inode that it gives up, and what
/// it is told of such an inode would wait for the kernel.
/// @param drops_set_ids  false: the user may keep these bits; capabilities go all the same.
/// Errors: those of View::set_attributes. Cost: nothing where it is known that there are none, as
/// it is of a file that was written to before.
[[nodiscard]] Status drop_privileges(fuse_req_t request, ViewFileSystem& mounted,
                                     std::uint64_t inode, bool drops_set_ids);

}  // namespace dgfs::fuse
