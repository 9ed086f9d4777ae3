// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One extended attribute by name, which also reaches those that no list shows.
#pragma once

#include <string>

#include "base/result.h"

namespace dgfs::storage {

/// The value of the attribute `name` of what `path` leads to. Errors: kNotFound (nothing there, no
/// such attribute, or the file system has none), kPermission, kIo.
[[nodiscard]] Result<std::string> posix_xattr(const std::string& path, const std::string& name);

}  // namespace dgfs::storage
