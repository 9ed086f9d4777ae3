// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The operations of a read-only mount, grouped by subject.
#pragma once

#include <fuse_lowlevel.h>

namespace dgfs::fuse {

/// Each sets its operations. The session's tree is an ImageFileSystem.
void add_lookup_operations(fuse_lowlevel_ops& operations);
void add_content_operations(fuse_lowlevel_ops& operations);
void add_directory_operations(fuse_lowlevel_ops& operations);
void add_xattr_operations(fuse_lowlevel_ops& operations);
void add_refused_changes(fuse_lowlevel_ops& operations);

}  // namespace dgfs::fuse
