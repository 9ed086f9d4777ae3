// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Attributes between the system's struct stat and ours, and extended attributes.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "storage/file.h"

namespace dgfs::storage {

[[nodiscard]] FileStatus to_file_status(const struct stat& status);
[[nodiscard]] timespec to_timespec(const Time& time);

/// All extended attributes, sorted by name, of the open file `fd`; `path` is for messages. Empty
/// where the file system has none. Names that vanish meanwhile are left out.
[[nodiscard]] Result<std::vector<Xattr>> posix_xattrs(int fd, const std::string& path);

/// The same of the object at `real_path`, itself if it is a link; `path` is for messages.
[[nodiscard]] Result<std::vector<Xattr>> posix_xattrs_at(const std::string& real_path,
                                                         const std::string& path);

}  // namespace dgfs::storage
