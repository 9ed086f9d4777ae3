// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sets how far the kernel reads ahead in the files of a mount; only root may.
#pragma once

#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Raises the read-ahead of a FUSE mount to 512 KiB, four times the kernel's default: requests are
/// expensive, and with larger ones large files are read half again as fast. Call it after the
/// kernel has the answer to its first request, because that sets the read-ahead too. Sends no
/// request to the mount. Errors: those of reading the mount table and of writing below /sys, which
/// only root may.
[[nodiscard]] Status raise_read_ahead(storage::Env& env, const std::string& mount_point);

}  // namespace dgfs::fuse
