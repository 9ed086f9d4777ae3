// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// /dev/null, which a daemon's standard streams use.
#pragma once

#include "base/result.h"

namespace dgfs::storage {

/// Whether this process may read and write /dev/null. If a tool of root has replaced it by a file,
/// other users may not. Errors: kPermission, kNotFound, kIo. Thread-safe.
[[nodiscard]] Status check_null_device();

}  // namespace dgfs::storage
