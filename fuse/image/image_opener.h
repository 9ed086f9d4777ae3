// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens the image of a mount as its options say, and checks of it as much as they ask for.
#pragma once

#include <memory>

#include "fuse/damage_log.h"
#include "fuse/mount_arguments.h"
#include "fuse/mount_options.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// An image with the Env that it reads through. A value that is moved.
struct ImageToMount {
  std::unique_ptr<storage::Env> shifted;  ///< of an image that begins behind the begin of its file
  std::unique_ptr<const reader::Image> image;
};

/// Tells `log` of what is missing or damaged and keeps nothing else from being mounted.
/// @param env     must outlive the result, as must `log`
/// @param caches  that the image shares with others; null: it has its own
/// Errors: those of Image::open; kInvalidArgument (no image begins at offset=); kCorrupt (check=all
/// has found damage in the index, and logged it).
[[nodiscard]] Result<ImageToMount> open_image(storage::Env& env, const MountOptions& options,
                                              const MountArguments& arguments, DamageLog& log,
                                              std::shared_ptr<reader::ImageCaches> caches);

}  // namespace dgfs::fuse
