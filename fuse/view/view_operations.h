// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The answers of a mount that can be written to, by what they are about.
#pragma once

#include <fuse_lowlevel.h>

namespace dgfs::fuse {

/// Each fills in its part. The tree of the session is a ViewFileSystem.
void add_object_operations(fuse_lowlevel_ops& operations);
void add_name_operations(fuse_lowlevel_ops& operations);
void add_view_content_operations(fuse_lowlevel_ops& operations);
void add_view_directory_operations(fuse_lowlevel_ops& operations);
void add_view_xattr_operations(fuse_lowlevel_ops& operations);

}  // namespace dgfs::fuse
