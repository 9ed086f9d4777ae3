// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SalvageImage: the files of a damaged image, and an Image of what is left of them, which gives
// contents and side records of nodes, and knows no names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "reader/open_options.h"
#include "reader/salvage/index.h"
#include "reader/volume/volumes.h"

namespace dgfs::reader {

class Image;

/// What was found at the paths of an image. A value.
struct SalvageFiles {
  std::shared_ptr<storage::File> image;          ///< null where there is only an index
  std::optional<format::VolumeHeader> header;    ///< of the image, where one of the two is left
  std::optional<format::Superblock> superblock;  ///< where a copy has it
  std::vector<IndexRegion> regions;              ///< where copies of the index are
};

/// Opens the image and its separate index as Image::open() does, but takes what is damaged as it
/// is. Errors: those of opening the files; kInvalidArgument (a further volume, an index of another
/// image).
[[nodiscard]] Result<SalvageFiles> open_salvage_files(storage::Env& env, const std::string& path,
                                                      const OpenOptions& options);

class SalvageImage {
 public:
  /// @param env    must outlive the image
  /// @param index  loses its dictionaries of contents
  [[nodiscard]] static std::unique_ptr<const Image> make(storage::Env& env,
                                                         const SalvageFiles& files,
                                                         SalvageIndex& index,
                                                         const OpenOptions& options);
};

}  // namespace dgfs::reader
