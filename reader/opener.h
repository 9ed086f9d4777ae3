// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opener: finds the index copies and volumes of an image from a path.
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
  IndexCopy first;                         ///< index copy to use first
  IndexSource::OpenSecond open_second;     ///< opens the other copy; owns all that it needs
  std::string index_path;                  ///< of the separate index; empty if there is none
  std::optional<FoundVolume> volume_zero;  ///< set if an image was opened
  VolumePlaces places;                     ///< for volumes that are not open yet
};

/// Image::open() up to the superblock: finds out whether `path` is an image or an index, and picks
/// the index copy. Reads one page of the image, if given, and one page of the index. Tries these
/// ways until one finds an intact copy, and else returns the error of the first:
/// - the file at the path; for an image, its separate index and then its trailing index;
/// - the image beside the path, if the file seems to be a damaged index;
/// - the index with the name that belongs to the path, if the file is lost.
[[nodiscard]] Result<OpenedFiles> open_files(storage::Env& env, const std::string& path,
                                             const OpenOptions& options);

}  // namespace dgfs::reader
