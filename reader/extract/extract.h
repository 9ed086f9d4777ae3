// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extraction: writes the tree of an image (or parts of it) below a destination directory, with all
// metadata that the caller may restore. It never writes through a symbolic link or outside the
// destination, because it goes down one path component at a time through storage::Directory.
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

/// Extracts an image.
/// @param destination  created if missing: with the permissions of the image's root, or with the
///                     default ones (umask) if only paths below the root are chosen. Existing
///                     directories in it are entered. ExtractOptions::existing decides
///                     about other existing names
/// A regular file gets its name once its contents and attributes are complete, so a killed process
/// leaves no incomplete file under a name. Permissions, times and xattrs of directories are set
/// last, deepest directory first; if one fails, the others are still set. Nothing is synced. Memory
/// beside queues and caches: 8 bytes a directory, and one path for each multiply linked object that
/// has some names made and others still to come. If only some names of an object are chosen, its
/// path stays in memory until the end.
[[nodiscard]] Result<ExtractReport> extract(const Image& image, storage::Env& env,
                                            const std::string& destination,
                                            const ExtractOptions& options);

/// Dry run: writes nothing, and calls `visit` in order for each entry that extract() with these
/// options would write. Reports device nodes that extract() would refuse, as extract() does.
[[nodiscard]] Result<ExtractReport> plan_extract(
    const Image& image, const ExtractOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& visit);

}  // namespace dgfs::reader
