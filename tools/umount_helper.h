// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The program as umount(8) calls it: "umount.dgfs DIR [-flnrv] [-N SPACE] [-t TYPE]", under that
// name, or as umount.fuse.dgfs. umount(8) itself would return before the server has closed the
// delta; this returns when the directory of the delta is whole.
#pragma once

#include <string>
#include <string_view>

#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// Whether a program of this name (argv[0]) acts as a helper of umount(8).
[[nodiscard]] bool is_umount_helper(std::string_view program);

/// The command line of a helper. A value.
struct UmountCall {
  std::string mount_point;
  bool is_lazy = false;
  bool is_forced = false;
  bool remounts = false;  ///< read-only, if it is in use
};
/// -n, -v and -t have no effect. Errors: kInvalidArgument, with a text fit for "umount.dgfs: TEXT".
[[nodiscard]] Result<UmountCall> umount_call(const Arguments& arguments);

/// Runs a helper's command line. Returns the exit status of umount(8): 0 done, 1 wrong usage, 32
/// failed. It waits as long as a process closes the delta; for none after a lazy unmount, since
/// programs may go on using the mount.
[[nodiscard]] int umount_helper_main(const Arguments& arguments, const ToolIo& io);

}  // namespace dgfs::tools
