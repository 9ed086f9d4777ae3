// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::storage {

/// All extended attributes, sorted by name, of the open file `fd`; `path` is for messages. Empty
/// where the file system has none. Names that vanish meanwhile are left out.
[[nodiscard]] Result<std::vector<Xattr>> posix_xattrs(int fd, const std::string& path);

/// The same of the object at `real_path`, itself if it is a link; `path` is for messages.
[[nodiscard]] Result<std::vector<Xattr>> posix_xattrs_at(const std::string& real_path,
                                                         const std::string& path);

/// The value of the attribute `name` of what `path` leads to, also of one that no list shows.
/// Errors: kNotFound (nothing there, no such attribute, or the file system has none), kPermission,
/// kIo.
[[nodiscard]] Result<std::string> posix_xattr(const std::string& path, const std::string& name);

}  // namespace dgfs::storage
