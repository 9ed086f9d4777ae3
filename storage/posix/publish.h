// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes files without a name and names them: the two halves of an output that appears whole or not
// at all.
#pragma once

#include <memory>
#include <string>

#include "storage/posix/file.h"

namespace dgfs::storage {

/// See Env::create_unnamed. Uses O_TMPFILE, or a hidden file that is unlinked at once if the file
/// system does not have it.
[[nodiscard]] Result<std::unique_ptr<PosixFile>> posix_create_unnamed(
    const std::string& directory_path);

/// See Env::publish. If the file cannot be linked (no O_TMPFILE, another file system), its content
/// is copied with its holes, and `file` becomes the copy.
[[nodiscard]] Status posix_publish(PosixFile& file, const std::string& path, std::uint32_t mode);

}  // namespace dgfs::storage
