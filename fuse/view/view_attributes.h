// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts objects of a view to the structures of libfuse.
#pragma once

#include <fuse_lowlevel.h>

#include "delta/view/view.h"

namespace dgfs::fuse {

/// The attributes as stat(2) reports them.
[[nodiscard]] struct stat to_stat(view::ObjectNumber object, const view::Attributes& attributes);
/// The attributes of a name in a directory listing: number and type.
[[nodiscard]] struct stat to_short_stat(view::ObjectNumber object, std::uint32_t type);
/// The node id is the object's number; the generation is missing. The entry stays valid: all
/// changes come through the mount.
[[nodiscard]] fuse_entry_param to_entry(const view::Entry& entry);

[[nodiscard]] Time to_time(const timespec& time);
/// The space of a delta.
[[nodiscard]] struct statvfs to_statvfs(const view::ViewSpace& space);

}  // namespace dgfs::fuse
