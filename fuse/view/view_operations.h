// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The operations of a mount with a delta, grouped by subject.
#pragma once

#include <fuse_lowlevel.h>

namespace dgfs::fuse {

/// Each sets its operations. The session's tree is a ViewFileSystem.
void add_object_operations(fuse_lowlevel_ops& operations);
void add_name_operations(fuse_lowlevel_ops& operations);
void add_view_content_operations(fuse_lowlevel_ops& operations);
void add_view_directory_operations(fuse_lowlevel_ops& operations);
void add_view_xattr_operations(fuse_lowlevel_ops& operations);

}  // namespace dgfs::fuse
