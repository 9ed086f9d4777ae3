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

/// Whether a program of this name (argv[0]) with these arguments is to act as a mount helper.
[[nodiscard]] bool is_mount_helper(std::string_view program, const Arguments& arguments);

/// A helper's arguments as those of `dgfs`: {"mount", ...}.
/// - rw is left out: mount(8) passes it unasked.
/// - suid and dev are added where root mounts and nosuid and nodev are not there: mount(8) leaves
///   its defaults out, so that their absence is how root's wish arrives. Where another user mounts
///   they are left out, as fusermount3 would.
/// - -s becomes the option sloppy, -f --dry-run; -n, -v and -t change nothing.
/// Errors: kInvalidArgument, its text fit for "mount.dgfs: TEXT".
[[nodiscard]] Result<Arguments> mount_helper_arguments(const Arguments& arguments,
                                                       std::uint32_t user_id);

/// Runs a helper's command line. Returns what mount(8) hands on: 0 done, 1 wrong call, 32 failed.
[[nodiscard]] int mount_helper_main(const Arguments& arguments, const ToolIo& io);

}  // namespace dgfs::tools
