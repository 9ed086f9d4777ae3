// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/posix/entry_name.h"

namespace dgfs::storage {

/// All extended attributes of the open file `fd`, sorted by name; `path` is for messages. Empty if
/// the file system has none. Names that vanish meanwhile are left out.
[[nodiscard]] Result<std::vector<Xattr>> posix_xattrs(int fd, const std::string& path);

/// The same for an entry of an open directory, not following a link; `path` is for messages.
[[nodiscard]] Result<std::vector<Xattr>> posix_xattrs_at(const EntryName& entry,
                                                         const std::string& path);

/// As FileTraits::readable_xattrs(). If the list cannot be read, asks for the attributes that
/// decide on access by their names.
[[nodiscard]] std::vector<Xattr> posix_readable_xattrs(int fd, const std::string& path,
                                                       std::vector<Error>& unreadable);
[[nodiscard]] std::vector<Xattr> posix_readable_xattrs_at(const EntryName& entry,
                                                          const std::string& path,
                                                          std::vector<Error>& unreadable);

/// The value of the attribute `name` of the object at `path`, following links. Finds attributes
/// that no list shows, too. Errors: kNotFound (no object, no such attribute, or the file system has
/// none), kPermission, kIo.
[[nodiscard]] Result<std::string> posix_xattr(const std::string& path, const std::string& name);

}  // namespace dgfs::storage
