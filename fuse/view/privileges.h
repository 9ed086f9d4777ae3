// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Privileges of a file that end when another user changes it: set-user-id and set-group-id bits,
// and capabilities (inode(7), capabilities(7)).
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>

#include "fuse/view/view_file_system.h"

namespace dgfs::fuse {

/// Whether permissions contain set-id bits.
[[nodiscard]] bool has_set_ids(std::uint32_t permissions);
/// The bits to clear when the user of a request changes the file. The set-group-id bit stays if the
/// group may not execute the file and the user is in the group.
[[nodiscard]] std::uint32_t set_ids_to_clear(fuse_req_t request, const view::Attributes& file);

/// Whether set-id bits are dropped. Some requests leave it open: root may keep the bits then.
enum class DropsSetIds : std::uint8_t { kNo, kYes, kUnlessRoot };

/// Drops privileges before contents change, and tells the kernel, which caches attributes. Only for
/// a request whose user has the file open: while the kernel evicts an inode it waits for its pages,
/// and a notification about that inode would wait for the kernel.
/// Capabilities are dropped anyway.
/// Errors: those of View::set_attributes. Costs nothing if the file is known to have no privileges,
/// as after an earlier write.
[[nodiscard]] Status drop_privileges(fuse_req_t request, ViewFileSystem& mounted,
                                     std::uint64_t inode, DropsSetIds drops_set_ids);

}  // namespace dgfs::fuse
