// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Attributes of extracted objects, in the order in which none undoes another.
#pragma once

#include <string_view>

#include "base/result.h"
#include "reader/image.h"
#include "storage/directory.h"

namespace dgfs::reader {

/// Sets owner, xattrs, mode and times of `name` in `directory` (of the directory itself if it is
/// empty) as `node` has them: the owner first, because changing it clears set-id bits and
/// capabilities; xattrs before a mode that might forbid writing them; times last, because all
/// else changes them. POSIX ACLs that `node` has not, inherited from the destination, are removed.
/// A set-id bit of a file that belongs to another owner or group than `node` says is left out.
/// @param privileged  also owner and xattrs outside "user." and POSIX ACLs
[[nodiscard]] Status restore_metadata(const Image& image, const Node& node,
                                      storage::Directory& directory, std::string_view name,
                                      bool privileged);

/// The same for a file that has no name yet.
[[nodiscard]] Status restore_metadata(const Image& image, const Node& node, storage::NewFile& file,
                                      bool privileged);

}  // namespace dgfs::reader
