// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Files without a name, and how they get one: the two halves of an output that is there whole or
// not at all.
#pragma once

#include <memory>
#include <string>

#include "storage/posix/file.h"

namespace dgfs::storage {

/// See Env::create_unnamed. O_TMPFILE; where the file system has none, a hidden file that is
/// unlinked at once.
[[nodiscard]] Result<std::unique_ptr<PosixFile>> posix_create_unnamed(
    const std::string& directory_path);

/// See Env::publish. Where the file cannot be linked (no O_TMPFILE, another file system), its
/// content is copied, holes kept, and `file` becomes the copy.
[[nodiscard]] Status posix_publish(PosixFile& file, const std::string& path, std::uint32_t mode);

}  // namespace dgfs::storage
