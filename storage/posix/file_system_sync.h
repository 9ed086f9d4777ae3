// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// syncfs(2) of the file system that holds a directory. Errors: those of open(2), kIo, kNoSpace.
[[nodiscard]] Status sync_file_system(const std::string& directory);

}  // namespace dgfs::storage
