// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opener: from a path to the index copies and volumes of an image.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "reader/index/copy.h"
#include "reader/index/source.h"
#include "reader/open_options.h"
#include "reader/volume/volumes.h"

namespace dgfs::reader {

/// The files of an image as far as opening needs them.
struct OpenedFiles {
  IndexCopy first;                         ///< index copy to use
  IndexSource::OpenSecond open_second;     ///< where the other one is; holds what it needs
  std::string index_path;                  ///< of a separate index file; empty if there is none
  std::optional<FoundVolume> volume_zero;  ///< set where an image was opened
  VolumePlaces places;                     ///< for the volumes that are not open
};

/// Finds out whether `path` is an image or an index and picks the index copy: Image::open up to
/// the superblock. Reads one page of the image, where that is given, and one of the index. Goes
/// these ways until one leads to an intact copy, and otherwise tells why the first did not: by what
/// lies at the path (an image by its separate index, then by the copy in it); where that seems to
/// be a damaged index, by the image beside it; where it is lost, by the index of that name.
[[nodiscard]] Result<OpenedFiles> open_files(storage::Env& env, const std::string& path,
                                             const OpenOptions& options);

}  // namespace dgfs::reader
