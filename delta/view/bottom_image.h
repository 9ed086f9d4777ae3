// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The image at the bottom of a delta: its own image until a merge has made a base, then the base.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "delta/store/directory/manifest.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::view {

/// Finds the image below the stores of a delta, and opens it if it is a base in the delta's
/// directory. Volumes of the base are searched among those of the given image, in its folder, and
/// in the folder where the manifest saw it last.
/// @param given       the image that the user names: that of the delta, or its base
/// @param given_path  where it is
/// @param directory   of the delta; the caller holds its base (HeldBase)
/// @param options     of the base; its `index_path` is not used
/// Errors: kInvalidArgument (`given` is neither), kCorrupt (the base is not the one in the
/// manifest); those of Image::open().
[[nodiscard]] Result<std::shared_ptr<const reader::Image>> bottom_of_delta(
    storage::Env& env, std::shared_ptr<const reader::Image> given, const std::string& given_path,
    const std::string& directory, const delta::Manifest& manifest,
    const reader::OpenOptions& options);
/// Opens a base of a delta.
/// @param given  an image whose volumes may be those of the base; the others as above
/// Errors: kCorrupt (it has another UUID); those of Image::open().
[[nodiscard]] Result<std::shared_ptr<const reader::Image>> open_base(
    storage::Env& env, const reader::Image& given, const std::string& given_path,
    const std::string& directory, const delta::Manifest& manifest, const delta::BaseFacts& base,
    const reader::OpenOptions& options);
/// Whether the objects of an image end before those of the store above it. Errors: kCorrupt.
/// @param born_object  of that store
[[nodiscard]] Status check_objects_end(const reader::Image& image, std::uint64_t born_object);
/// Whether an image is that of a delta, or its base. Errors: kInvalidArgument, with a message that
/// names both.
[[nodiscard]] Status check_is_of_delta(const reader::Image& image, const std::string& image_path,
                                       const std::string& directory,
                                       const delta::Manifest& manifest);

}  // namespace dgfs::view
