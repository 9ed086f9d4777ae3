// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How far the kernel reads ahead in the files of a mount, which it lets root set.
#pragma once

#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Raises the read-ahead of a FUSE mount to 512 KiB, four times the kernel's: a request is dear, so
/// that larger ones read large files half again as fast. To be called when the kernel has had the
/// answer to its first request, which sets the read-ahead too. Asks nothing of the mount. Errors:
/// those of reading the table and of writing below /sys, as whoever is not root may not.
[[nodiscard]] Status raise_read_ahead(storage::Env& env, const std::string& mount_point);

}  // namespace dgfs::fuse
