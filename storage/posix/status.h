// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts attributes between the system's struct stat and ours.
#pragma once

#include <sys/stat.h>

#include <optional>

#include "storage/file.h"
#include "storage/original_file.h"

namespace dgfs::storage {

[[nodiscard]] FileStatus to_file_status(const struct stat& status);
/// OriginalFile::identity() of an open file.
[[nodiscard]] std::optional<FileIdentity> identity_of(int fd);
[[nodiscard]] timespec to_timespec(const Time& time);

}  // namespace dgfs::storage
