// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The answers to the kernel's requests, grouped by what they are about.
#pragma once

#include <fuse_lowlevel.h>

namespace dgfs::fuse {

/// All operations of a read-only mount, for fuse_session_new(). The user data is the Server.
[[nodiscard]] fuse_lowlevel_ops make_operations();

/// Each fills in its part.
void add_content_operations(fuse_lowlevel_ops& operations);
void add_directory_operations(fuse_lowlevel_ops& operations);
void add_xattr_operations(fuse_lowlevel_ops& operations);

}  // namespace dgfs::fuse
