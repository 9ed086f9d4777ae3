// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// /dev/null, to which a daemon's standard streams go.
#pragma once

#include "base/result.h"

namespace dgfs::storage {

/// Whether this process may read and write /dev/null. Where root's tools have replaced it with a
/// file, another user may not. Errors: kPermission, kNotFound, kIo. Thread-safe.
[[nodiscard]] Status check_null_device();

}  // namespace dgfs::storage
