// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The answers of a read-only mount to the kernel's requests, by what they are about.
#pragma once

#include <fuse_lowlevel.h>

namespace dgfs::fuse {

/// Each fills in its part. The tree of the session is an ImageFileSystem.
void add_lookup_operations(fuse_lowlevel_ops& operations);
void add_content_operations(fuse_lowlevel_ops& operations);
void add_directory_operations(fuse_lowlevel_ops& operations);
void add_xattr_operations(fuse_lowlevel_ops& operations);

}  // namespace dgfs::fuse
