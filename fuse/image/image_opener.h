// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens the image of a mount as its options say, and checks as much of it as they request.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fuse/damage_log.h"
#include "fuse/mount_arguments.h"
#include "fuse/mount_options.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// An image with the Env that it reads through. A value that is moved.
struct ImageToMount {
  std::unique_ptr<storage::Env> shifted;  ///< set if the image begins at an offset in its file
  std::unique_ptr<const reader::Image> image;
};

/// The options by which an image is opened. @param log  must outlive the result
[[nodiscard]] reader::OpenOptions image_open_options(const MountOptions& options,
                                                     const MountArguments& arguments,
                                                     DamageLog& log);
/// Opens the volumes of an image, so that a mount can use them even if their names change. A
/// missing or damaged volume does not prevent the mount; it is searched again whenever a file in it
/// is read.
/// @param image_path  from which it was opened
/// @param warn        gets an error for each such volume
void open_volumes(const reader::Image& image, const std::string& image_path,
                  const std::function<void(const Error&)>& warn);

/// Logs missing or damaged parts that do not prevent the mount.
/// @param env     must outlive the result, as must `log`
/// @param caches  shared with other images; null: the image gets its own
/// Errors: those of Image::open; kInvalidArgument (no image begins at offset=); kCorrupt (check=all
/// has found damage in the index, and logged it).
[[nodiscard]] Result<ImageToMount> open_image(storage::Env& env, const MountOptions& options,
                                              const MountArguments& arguments, DamageLog& log,
                                              std::shared_ptr<reader::ImageCaches> caches);

}  // namespace dgfs::fuse
