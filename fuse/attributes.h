// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts nodes of an image to the structures of libfuse.
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/header/superblock.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// How long the kernel may cache a name or attributes, in seconds: the image never changes.
inline constexpr double kForeverSeconds = 1e18;

/// Owner, group and permissions that all objects of a mount show instead of their own, which stay.
/// The kernel checks access by the shown attributes; access control lists, which contradict them
/// (overridden_list.h), and capabilities of files are then hidden. For device files, an override
/// only takes permissions away: the system decides who owns a disk.
struct AttributeOverrides {
  /// Either one clears the set-user-id and set-group-id bits of files, as chown(2) does: the bits
  /// were given for another owner.
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  /// Permissions become 0777 without these bits; set-user-id, set-group-id and sticky bits are
  /// cleared. Symlinks keep their permissions, which are never checked.
  std::optional<std::uint32_t> umask;

  [[nodiscard]] bool any() const { return uid || gid || umask; }
};

/// Attributes as stat(2) reports them.
///
/// st_blocks of a file counts its data in 512-byte units as if stored raw. Holes do not count, so
/// `du` is right, and tar and cp look for holes where there are some. Compression does not lower
/// the count, or they would look for holes in every compressed file. Directories have 0 blocks,
/// because they live in the index. st_blksize is the frame, the unit that is read and verified.
[[nodiscard]] struct stat to_stat(const reader::Node& node,
                                  const AttributeOverrides& overrides = {});

/// The attributes of a name in a directory listing: number and type.
[[nodiscard]] struct stat to_short_stat(const reader::ListedName& listed);

/// Lets attributes show the overrides.
void override_attributes(struct stat& attributes, const AttributeOverrides& overrides);
/// Whether an extended attribute grants rights, or vouches for them, relative to the real owner and
/// permissions: access control lists, and capabilities of programs. Overrides hide it.
[[nodiscard]] bool is_bound_to_owner_and_mode(std::string_view xattr);

/// The reply to a lookup, without the generation. The node id is the inode number.
[[nodiscard]] fuse_entry_param to_entry(const reader::Node& node,
                                        const AttributeOverrides& overrides = {});
/// The reply that nothing has this name; the kernel caches it.
[[nodiscard]] fuse_entry_param absent_entry();

/// Totals of the image; nothing is free.
[[nodiscard]] struct statvfs to_statvfs(const format::Superblock& superblock);

}  // namespace dgfs::fuse
