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

/// kExists if what is at `path`, a regular file or nothing, is a volume that must stay: to replace
/// it would destroy the image that it belongs to. An image may take the place of an image, and a
/// further volume that of one of the image at `image_path`, or of one that this was about to
/// replace when its build was cut short.
/// Errors: those of looking at a file that a volume is to replace.
[[nodiscard]] Status check_replaced(storage::Env& env, const std::string& path, OutputRole role,
                                    const std::string& image_path);

}  // namespace dgfs::builder
