// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts attributes between the system's struct stat and ours.
#pragma once

#include <sys/stat.h>

#include "storage/file.h"

namespace dgfs::storage {

[[nodiscard]] FileStatus to_file_status(const struct stat& status);
[[nodiscard]] timespec to_timespec(const Time& time);

}  // namespace dgfs::storage
