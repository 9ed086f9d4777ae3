// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <vector>

#include "storage/file.h"

namespace dgfs::storage {

/// The processes that have a file open with a lock of flock(2) on that opening, by what the system
/// says now: who has taken it may have forked, and ended. Those of other users are not seen without
/// privilege.
[[nodiscard]] std::vector<LockHolder> flock_holders(const FileStatus& file);

}  // namespace dgfs::storage
