// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extraction: writes the tree of an image (or parts of it) below a destination directory, with all
// metadata the caller may restore. Nothing is ever written through a symbolic link or outside the
// destination: every step is one component through storage::Directory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "reader/extract/options.h"
#include "reader/node.h"
#include "storage/env.h"

namespace dgfs::reader {

class Image;

/// @param destination  created if missing, with the permissions of the image's root, or with those
///                     that the umask leaves where only paths below the root are chosen; existing
///                     directories in it are entered, any other existing name is a failure
///                     (kExists): nothing is overwritten
/// A regular file gets its name when contents and attributes are complete: whenever the process
/// is killed, what bears a file's name is the file. Permissions, times and xattrs of directories
/// are set last, deepest first; where one cannot be, the others are set all the same. Nothing is
/// synced. Memory beside queues and caches: 8 bytes a directory, and the path of each multiply
/// linked object of which some names are made and others still to come. Where only some of its
/// names are chosen, that is for the whole run.
[[nodiscard]] Result<ExtractReport> extract(const Image& image, storage::Env& env,
                                            const std::string& destination,
                                            const ExtractOptions& options);

/// Writes nothing: calls `visit` for each entry that extract() with these options would write, in
/// order. Device nodes that it would refuse are reported likewise.
[[nodiscard]] Result<ExtractReport> plan_extract(
    const Image& image, const ExtractOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& visit);

}  // namespace dgfs::reader
