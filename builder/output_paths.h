// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Output paths: whether outputs may take the places that were named for them, asked before work is
// done in vain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::builder {

/// kInvalidArgument where two of the paths are one name in one directory, however they are spelled;
/// errors of looking at the directories.
[[nodiscard]] Status check_distinct(const storage::Env& env, const std::vector<std::string>& paths);

/// Fails early where publishing would fail late: kIsDirectory if `path` is a directory,
/// kExists if it is anything else but a regular file (a device, a link), kInvalidArgument if it is
/// no file name. Returns what is there now.
[[nodiscard]] Result<std::optional<storage::FileStatus>> check_output_path(storage::Env& env,
                                                                           const std::string& path);

/// kExists if a volume of any other image than the one at `image_path`, if there is one, is at
/// `path`, which holds a regular file: to replace it would destroy that image. But one that the
/// image at `image_path` was about to replace when its build was cut short may be replaced.
[[nodiscard]] Status check_volume_path(storage::Env& env, const std::string& path,
                                       const std::string& image_path);

}  // namespace dgfs::builder
