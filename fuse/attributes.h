// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Nodes of an image in the shapes that libfuse takes.
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>
#include <optional>

#include "format/header/superblock.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// Seconds for which the kernel may believe a name or attributes: the image never changes.
inline constexpr double kForeverSeconds = 1e18;

/// Owner, group and permissions that all objects of a mount show instead of their own. The kernel
/// judges access by what is shown; access control lists, which say otherwise (overridden_list.h),
/// and capabilities of files are then left out. Of device files an override takes rights, and gives
/// none: whose a disk is says its system.
struct AttributeOverrides {
  /// Set-user-id and set-group-id bits of files go with either, as with chown(2): they were given
  /// for another owner.
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  /// Permissions become 0777 without these bits; set-user-id, set-group-id and sticky bits go.
  /// Symlinks, whose permissions nobody asks, keep theirs.
  std::optional<std::uint32_t> umask;

  [[nodiscard]] bool any() const { return uid || gid || umask; }
};

/// Attributes as stat(2) reports them.
///
/// st_blocks of a file counts its data in 512-byte units as if stored raw: holes are left out, so
/// that `du` is right and tar and cp look for holes where there are some; compression is not, or
/// they would look for holes in every compressed file. Directories take none: they live in the
/// index. st_blksize is the frame, the unit that is read and verified.
[[nodiscard]] struct stat to_stat(const reader::Node& node,
                                  const AttributeOverrides& overrides = {});

/// What a directory listing tells of a name: number and type.
[[nodiscard]] struct stat to_short_stat(const reader::ListedName& listed);

/// Reply to a lookup. The node id is the inode number.
[[nodiscard]] fuse_entry_param to_entry(const reader::Node& node,
                                        const AttributeOverrides& overrides = {});
/// Reply that nothing has this name, which the kernel remembers.
[[nodiscard]] fuse_entry_param absent_entry();

/// Totals of the image; nothing is free.
[[nodiscard]] struct statvfs to_statvfs(const format::Superblock& superblock);

}  // namespace dgfs::fuse
