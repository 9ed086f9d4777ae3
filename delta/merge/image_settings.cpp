// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/image_settings.h"

#include "format/header/feature.h"
#include "format/limits.h"

namespace dgfs::merge {

Status take_over_settings(const reader::Image& image, builder::BuildOptions& options) {
  const auto features = image.superblock().incompat;
  options.compression.reset();
  if ((features & format::feature::kIncompatZstdExtents) != 0) {
    const bool shares = (features & format::feature::kIncompatFragmentFrames) != 0;
    options.compression.emplace();
    options.compression->fragment_frame_bytes = shares ? format::kFragmentFrameBytesMax : 0;
  }
  DGFS_TRY(digest, image.digest_algorithm());
  options.digest = digest;
  return ok();
}

}  // namespace dgfs::merge
