// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <vector>

#include "storage/file.h"

namespace dgfs::storage {

/// The processes that have a file open with an flock(2) lock on that opening, as the system reports
/// now. The process that took the lock may have forked and ended. Without privilege, the processes
/// of other users are not seen.
[[nodiscard]] std::vector<LockHolder> flock_holders(const FileStatus& file);

}  // namespace dgfs::storage
