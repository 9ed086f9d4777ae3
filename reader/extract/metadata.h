// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Attributes of extracted objects, in the order in which none undoes another.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "reader/extract/options.h"
#include "reader/node.h"
#include "storage/directory.h"

namespace dgfs::reader {

class Image;

/// Takes note of an attribute that could not be restored, and why, without the object's path. ok()
/// to go on with the others.
using LoseAttribute = std::function<Status(const LostAttribute& attribute, const Error& error)>;

/// Sets owner, xattrs, mode and times of `name` in `directory` (of the directory itself if it is
/// empty) as `node` has them: the owner first, because changing it clears set-id bits and
/// capabilities; xattrs before a mode that might forbid writing them; times last, because all
/// else changes them. POSIX ACLs that `node` has not, inherited from the destination, are removed.
/// Nobody gets rights by what could not be restored: set-id bits of a file that belongs to another
/// owner or group than `node` says are left out, its capabilities where the owner could not be set,
/// and without its ACL the group has what that gives it, not the mask that stands in the mode.
/// Errors: those of `lose`, and none else.
[[nodiscard]] Status restore_metadata(const Image& image, const Node& node,
                                      storage::Directory& directory, std::string_view name,
                                      const RestoreChoice& choice, const LoseAttribute& lose);

/// The same for a file that has no name yet.
[[nodiscard]] Status restore_metadata(const Image& image, const Node& node, storage::NewFile& file,
                                      const RestoreChoice& choice, const LoseAttribute& lose);

}  // namespace dgfs::reader
