// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A mount whose process was killed: its directory answers nothing but ENOTCONN.
#pragma once

#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Unmounts what a process of ours has left on a directory, also where programs still have files of
/// it open. Returns whether there was something to unmount. Asks the process of a mount that is
/// alive, and waits for its answer. Errors: kBusy (something is mounted below it), kIo, kPermission
/// (umount2(2), or fusermount3(1), which ordinary users need, does not do it).
/// @param mount_point  absolute, without links on its way
[[nodiscard]] Result<bool> remove_dead_mount(storage::Env& env, const std::string& mount_point);

}  // namespace dgfs::fuse
