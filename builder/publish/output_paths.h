// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Output paths: checks early whether outputs may take the paths that were given for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::builder {

/// Checks that the paths are different. Errors: kInvalidArgument if two of them, however they are
/// spelled, are the same name in the same directory; those of reading the status of the
/// directories.
[[nodiscard]] Status check_distinct(const storage::Env& env, const std::vector<std::string>& paths);

/// Fails early if publishing would fail late: kIsDirectory if `path` is a directory, kExists if it
/// is another object than a regular file (a device, a link), kInvalidArgument if it does not end in
/// a file name. Returns the status of the file that is there now.
[[nodiscard]] Result<std::optional<storage::FileStatus>> check_output_path(storage::Env& env,
                                                                           const std::string& path);

/// Role of the output that replaces a file.
enum class OutputRole : std::uint8_t { kImage, kVolume, kIndex };

/// Checks that an output may replace the file at `path`, which is a regular file or missing.
/// kExists if the file must stay:
///  - a file that is neither empty nor of the kind of the output (an index or a volume of DGFS,
///    sound or not), because only its owner knows its worth;
///  - a volume of another image, because replacing it would destroy that image. But an image may
///    replace an image; and a further volume may replace a volume of the image at `image_path`, or
///    a file that an interrupted build of that image was about to replace.
/// Errors: those of reading the file.
/// @param force  allows to replace files of the first kind and, unless `role` is kVolume,
///               unreadable files
[[nodiscard]] Status check_replaced(storage::Env& env, const std::string& path, OutputRole role,
                                    const std::string& image_path, bool force);

}  // namespace dgfs::builder
