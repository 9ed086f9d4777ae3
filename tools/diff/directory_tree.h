// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A DiffTree over a directory of the system.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "storage/env.h"
#include "tools/diff/tree.h"

namespace dgfs::tools {

/// Errors: kNotFound, kNotDirectory, kPermission.
[[nodiscard]] Result<std::unique_ptr<DiffTree>> make_directory_tree(storage::Env& env,
                                                                    const std::string& path);

}  // namespace dgfs::tools
