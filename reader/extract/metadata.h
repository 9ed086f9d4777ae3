// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Restores the attributes of extracted objects, in an order in which no attribute undoes another.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "reader/extract/options.h"
#include "reader/node.h"
#include "storage/directory.h"

namespace dgfs::reader {

class Image;

/// Gets an attribute that could not be restored, and the error without the object's path. Returns
/// ok() to go on with the other attributes.
using LoseAttribute = std::function<Status(const LostAttribute& attribute, const Error& error)>;

/// Sets owner, xattrs, mode and times of `name` in `directory` (of the directory itself if `name`
/// is empty) as in `node`. Sets the owner first, because a new owner clears set-id bits and
/// capabilities; xattrs before the mode, which might forbid writing them; times last, because all
/// other calls change them. Removes POSIX ACLs that the object inherits from the destination and
/// `node` does not have.
/// A failed attribute gives no user more rights. Set-id bits are left out if the file has another
/// owner or group than `node`. Capabilities are left out if the owner could not be set. If the ACL
/// is not restored, the group gets the rights that the ACL gives it, because the group bits of the
/// mode hold the ACL's mask.
/// Errors: only those of `lose`.
[[nodiscard]] Status restore_metadata(const Image& image, const Node& node,
                                      storage::Directory& directory, std::string_view name,
                                      const RestoreChoice& choice, const LoseAttribute& lose);

/// The same for a file that has no name yet.
[[nodiscard]] Status restore_metadata(const Image& image, const Node& node, storage::NewFile& file,
                                      const RestoreChoice& choice, const LoseAttribute& lose);

}  // namespace dgfs::reader
