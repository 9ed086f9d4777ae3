// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Removes a mount whose process was killed: its directory answers errors of the connection only.
#pragma once

#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Whether a process serves the mount on a directory. Asks it, and waits for the answer.
[[nodiscard]] bool is_served(const std::string& mount_point);

/// If a process of ours was killed and has left its mount on a directory, unmounts it, even while
/// programs have files in it open. Returns whether there was such a mount. If the mount is alive,
/// sends one request to its process and waits for the answer. Errors: kBusy (something is mounted
/// below it), kIo, kPermission (refused by umount2(2), or by fusermount3(1), which ordinary users
/// need).
/// @param mount_point  absolute, without links in it
[[nodiscard]] Result<bool> remove_dead_mount(storage::Env& env, const std::string& mount_point);

}  // namespace dgfs::fuse
