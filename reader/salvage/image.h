// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SalvageImage: opens the files of a damaged image, and makes an Image from them that reads
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

/// Files of a damaged image. A value.
struct SalvageFiles {
  std::shared_ptr<storage::File> image;          ///< null if there is only an index
  std::optional<format::VolumeHeader> header;    ///< of the image, if one header page is intact
  std::optional<format::Superblock> superblock;  ///< if a copy has an intact one
  std::vector<IndexRegion> regions;              ///< places of the copies of the index
};

/// Opens the image and its separate index as Image::open() does, but accepts damaged ones. Errors:
/// those of opening the files; kNotFound (no index at all); kInvalidArgument (a volume other than
/// 0, or an index of another image).
[[nodiscard]] Result<SalvageFiles> open_salvage_files(storage::Env& env, const std::string& path,
                                                      const OpenOptions& options);

class SalvageImage {
 public:
  /// @param env    must outlive the image
  /// @param index  gives away its content dictionaries
  [[nodiscard]] static std::unique_ptr<const Image> make(storage::Env& env,
                                                         const SalvageFiles& files,
                                                         SalvageIndex& index,
                                                         const OpenOptions& options);
};

}  // namespace dgfs::reader
