// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mounts an image, or with a delta a tree that can be changed, and serves it through the kernel
// until it is unmounted.
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

/// Finds wrong usage before anything is opened. Errors: kInvalidArgument, naming an option that is
/// unknown or has a bad value.
[[nodiscard]] Status check_mount_options(std::span<const std::string> options,
                                         std::uint32_t user_id);

/// Opens the image, and the delta if there is one, mounts it, and serves it until it is unmounted
/// or the process gets SIGTERM, SIGINT or SIGHUP; then unmounts it if necessary and returns ok.
/// At the call those signals must have their default action (an ignored SIGHUP stays ignored), and
/// no other mount() may run in the process.
///
/// Unless `foreground` is set, the process forks as soon as the mount is usable: the calling
/// process ends there with status 0, and mount() returns in the daemon, which has left its
/// terminal, its session and its working directory. So the process must have only one thread at the
/// call. An error before the fork is returned in the calling process.
///
/// @param env   made by storage::make_posix_env() or wrapping such an Env, because libfuse itself
///              uses the real system
/// @param log   receives warnings and damage; after the fork, a daemon sends them to syslog instead
/// A missing delta is made, and removed again if the mount is then refused. Errors after the fork
/// also go to syslog.
/// Image, index and volumes may lie below the mount point; once it exists, nothing is looked up
/// through it. If a delta would lie there, or the mount point in the delta, the mount is refused.
/// Errors: those of Image::open; those of mount_arguments(); kInvalidArgument (such a delta);
/// kCorrupt (check=all has found damage in the index, and logged it), kNotFound, kNotDirectory
/// (mount point), kPermission, kIo (the system refused the mount); with auto_unmount or idle= those
/// of MountKeeper::start().
[[nodiscard]] Status mount(storage::Env& env, const MountOptions& options,
                           std::shared_ptr<spdlog::logger> log);

}  // namespace dgfs::fuse
