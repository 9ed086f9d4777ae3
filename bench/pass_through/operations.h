// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The requests of the kernel, answered with the system calls that they are made of.
#pragma once

#include <fuse_lowlevel.h>

#include "bench/pass_through/source_tree.h"

namespace dgfs::bench {

/// The user data of the session.
struct PassThrough {
  SourceTree tree;
  bool splices = false;  ///< contents go from the file to the kernel without a copy in between
};

/// All of a read-only mount.
[[nodiscard]] fuse_lowlevel_ops make_pass_through_operations();

}  // namespace dgfs::bench
