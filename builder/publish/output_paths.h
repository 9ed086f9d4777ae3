// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Output paths: whether outputs may take the places that were named for them, asked before work is
// done in vain.
#pragma once

#include <cstdint>
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

/// What is to take the place of a file.
enum class OutputRole : std::uint8_t { kImage, kVolume, kIndex };

/// kExists if what is at `path`, a regular file or nothing, must stay:
///  - what is neither empty nor of the role's own kind, an index or a volume of DGFS, sound or not:
///    what it is only its owner knows;
///  - a volume of another image: to replace it would destroy that one. An image may take the place
///    of an image, and a further volume that of one of the image at `image_path`, or of one that
///    this was about to replace when its build was cut short.
/// Errors: those of looking at the file.
/// @param force  the first of these may be replaced, and what cannot be read where it is not for a
///               volume
[[nodiscard]] Status check_replaced(storage::Env& env, const std::string& path, OutputRole role,
                                    const std::string& image_path, bool force);

}  // namespace dgfs::builder
