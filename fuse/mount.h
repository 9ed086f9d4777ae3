// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mounts: an image, or with a delta a tree that can be changed, served through the kernel until it
// is unmounted.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fuse/mount_options.h"
#include "storage/env.h"

namespace spdlog {
class logger;
}

namespace dgfs::fuse {

/// Tells wrong usage before anything is opened. Errors: kInvalidArgument, naming an option that is
/// unknown or has a bad value.
[[nodiscard]] Status check_mount_options(std::span<const std::string> options,
                                         std::uint32_t user_id);

/// Opens the image, and the delta if there is one, mounts it, and serves it until it is unmounted
/// or the process gets SIGTERM, SIGINT or SIGHUP; then nothing is mounted any more and ok is
/// returned. Those signals must have their default action when it is called (an ignored SIGHUP
/// stays ignored), and no other mount() may run in the process.
///
/// Unless `foreground`, the process forks as soon as the mount is usable: the calling process ends
/// there with status 0, and mount() returns in the daemon, which has left its terminal, its
/// session and its working directory. So it must be called while the process has one thread. An
/// error from before the fork is returned in the calling process, which nothing has left.
///
/// @param env   must have been made by storage::make_posix_env() or wrap such a one, for what
///              libfuse does itself
/// @param log   receives warnings and damage that was met; a daemon, after the fork, sends them to
///              syslog instead
/// A delta that is missing is made, and stays if the mount is refused. Errors after the fork go to
/// syslog, too.
/// Errors: those of Image::open; those of mount_arguments(); kCorrupt (check=all has found damage
/// in the index, and logged it), kNotFound, kNotDirectory (mount point), kPermission, kIo (the
/// system refused the mount).
[[nodiscard]] Status mount(storage::Env& env, const MountOptions& options,
                           std::shared_ptr<spdlog::logger> log);

}  // namespace dgfs::fuse
