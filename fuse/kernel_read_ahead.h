// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How far the kernel reads ahead in the files of a mount, which it lets root set.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// The device number ("0:52") of what is mounted last on `mount_point`.
/// @param table        as /proc/self/mountinfo shows it
/// @param mount_point  absolute, without links
[[nodiscard]] std::optional<std::string> mounted_device(std::string_view table,
                                                        std::string_view mount_point);

/// Raises the read-ahead of a FUSE mount to 512 KiB, four times the kernel's: a request is dear, so
/// that larger ones read large files half again as fast. To be called when the kernel has had the
/// answer to its first request, which sets the read-ahead too. Asks nothing of the mount. Errors:
/// those of reading the table and of writing below /sys, as whoever is not root may not.
[[nodiscard]] Status raise_read_ahead(storage::Env& env, const std::string& mount_point);

}  // namespace dgfs::fuse
