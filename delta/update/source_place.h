// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <string>

#include "base/result.h"
#include "storage/directory.h"
#include "storage/env.h"

namespace dgfs::update {

/// Checks that a directory tree does not hold a file or directory, which an update would read while
/// it writes. Errors: kInvalidArgument.
/// @param path  what must lie elsewhere
/// @param what  its role, for the message: "the delta"
[[nodiscard]] Status check_lies_outside(storage::Env& env, const storage::Directory& tree,
                                        const std::string& path, const std::string& what);

}  // namespace dgfs::update
