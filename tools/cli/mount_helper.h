// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The program as mount(8) calls it: "mount.dgfs SRC DIR [-sfnv] [-o OPTIONS] [-t TYPE]", for
// `mount -t dgfs` and fstab, under that name or as mount.fuse.dgfs for `mount -t fuse.dgfs`; and as
// mount.fuse(8) does: "dgfs SRC DIR -o OPTIONS".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// An option that mount_helper_arguments() adds to a remount: its rw may be unasked.
inline constexpr std::string_view kByMountProgram = "x-dgfs.by-mount";

/// Whether a program of this name (argv[0]) with these arguments acts as a mount helper.
[[nodiscard]] bool is_mount_helper(std::string_view program, const Arguments& arguments);

/// Translates the arguments of a helper to those of `dgfs`: {"mount", ...}.
/// - rw is left out, because mount(8) passes it unasked. A remount keeps it, and gets
///   kByMountProgram.
/// - suid and dev are added if root mounts and nosuid and nodev are absent: mount(8) does not pass
///   its defaults, so their absence means that root wants them. If another user mounts, they are
///   left out, as by fusermount3.
/// - -s becomes the option sloppy, -f becomes --dry-run; -n, -v and -t have no effect.
/// Errors: kInvalidArgument, with a text fit for "mount.dgfs: TEXT".
[[nodiscard]] Result<Arguments> mount_helper_arguments(const Arguments& arguments,
                                                       std::uint32_t user_id);

/// Runs a helper's command line. Returns the exit status of mount(8): 0 done, 1 wrong usage, 32
/// failed.
[[nodiscard]] int mount_helper_main(const Arguments& arguments, const ToolIo& io);

}  // namespace dgfs::tools
