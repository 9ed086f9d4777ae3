// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An object of a view as a build sees it, and errors about it.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "delta/view/view.h"
#include "storage/file.h"

namespace dgfs::merge {

/// As lstat(2) would tell the attributes on a mount of the view. The device is 0, which no file
/// system has.
[[nodiscard]] storage::FileStatus status_of(const view::Entry& entry);
/// All extended attributes of an object. Errors: those of View.
[[nodiscard]] Result<std::vector<Xattr>> xattrs_of(const view::View& view,
                                                   view::ObjectNumber object);
/// The error of an object that a file of image or delta has caused: it names the object, and the
/// message goes on with that file.
/// @param path  of the object in the view
[[nodiscard]] Error about(const std::string& path, const Error& error);

}  // namespace dgfs::merge
