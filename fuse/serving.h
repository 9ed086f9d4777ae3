// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Serves a tree: mounts it, goes to the background if wanted, and serves until it is unmounted.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "fuse/keeper/mount_keeper.h"
#include "fuse/mount_arguments.h"
#include "fuse/mount_options.h"
#include "fuse/service.h"

namespace dgfs::fuse {

/// @param mounted  called as soon as the mount exists; if it fails, the mount is taken away
/// @param keeper   null: the options need none
/// Errors: those of mounted(); kInvalidArgument (libfuse refuses the arguments), kPermission, kIo
/// (the system refused the mount); those of FileSystem::start().
[[nodiscard]] Status serve(Service& service, const MountOptions& options,
                           const MountArguments& arguments, const std::string& mount_point,
                           const std::function<Status()>& mounted, MountKeeper* keeper);

}  // namespace dgfs::fuse
