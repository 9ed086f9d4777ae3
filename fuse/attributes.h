// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Nodes of an image in the shapes that libfuse takes.
#pragma once

#include <fuse_lowlevel.h>

#include "format/superblock.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// Seconds for which the kernel may believe a name or attributes: the image never changes.
inline constexpr double kForeverSeconds = 1e18;

/// Attributes as stat(2) reports them.
///
/// st_blocks of a file counts its data in 512-byte units as if stored raw: holes are left out, so
/// that `du` is right and tar and cp look for holes where there are some; compression is not, or
/// they would look for holes in every compressed file. Directories take none: they live in the
/// index. st_blksize is the frame, the unit that is read and verified.
[[nodiscard]] struct stat to_stat(const reader::Node& node);

/// What a directory listing tells of a name: number and type.
[[nodiscard]] struct stat to_short_stat(const reader::ListedName& listed);

/// Reply to a lookup. The node id is the inode number.
[[nodiscard]] fuse_entry_param to_entry(const reader::Node& node);
/// Reply that nothing has this name, which the kernel remembers.
[[nodiscard]] fuse_entry_param absent_entry();

/// Totals of the image; nothing is free.
[[nodiscard]] struct statvfs to_statvfs(const format::Superblock& superblock);

}  // namespace dgfs::fuse
