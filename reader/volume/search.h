// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Looking for the volumes of an image: by what is in a file, whatever its name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/header/volume_header.h"
#include "storage/env.h"

namespace dgfs::reader {

/// Where volumes of an image may lie.
struct VolumePlaces {
  format::Uuid uuid{};
  std::string folder;      ///< of the image: names in the volume table are tried there first
  std::string image_path;  ///< looked at first for volume 0; may be empty
  /// Further files in any order, and folders whose files are all looked at.
  std::vector<std::string> paths;
  std::string index_path;  ///< holds the volume table; for errors, as its place
  std::uint64_t table_offset_bytes = 0;
  std::function<void(const Error&)> warn;
  bool past_page_cache = false;  ///< how contents are read
  /// Whether extents may end behind the end of a file that was cut: what is there of them is read.
  bool may_be_cut = false;
};

/// A volume's file and header.
struct FoundVolume {
  std::shared_ptr<storage::File> file;
  format::VolumeHeader header;
};

/// What a file begins with: a page, or less if the file is shorter. One read. Errors: kIo.
[[nodiscard]] Result<Buffer> read_first_page(const storage::File& file);

/// The header of a volume from its first page or, where that is damaged, from its last (which is
/// then told to `warn`).
/// @param first_page  as from read_first_page()
/// Errors: kIo, kCorrupt, kUnsupported.
[[nodiscard]] Result<format::VolumeHeader> read_volume_header(
    const storage::File& file, Bytes first_page, const std::function<void(const Error&)>& warn);

/// A header page that stands at `offset` of a file. Errors: kCorrupt, kUnsupported, with the place.
[[nodiscard]] Result<format::VolumeHeader> decode_header_page(const storage::File& file, Bytes page,
                                                              std::uint64_t offset);

/// @param direct  past the page cache
/// Errors: those of opening and of read_volume_header().
[[nodiscard]] Result<FoundVolume> open_volume(storage::Env& env, const std::string& path,
                                              bool direct,
                                              const std::function<void(const Error&)>& warn);

/// The files that the paths stand for: of a folder its regular files, of any other path itself.
[[nodiscard]] std::vector<std::string> files_of_places(storage::Env& env,
                                                       const std::vector<std::string>& paths);

/// Looks for a volume by UUID and number, in one page of each file tried; where it is at none of
/// the places, also at hidden names of them, as builds leave them, and in the files of the folder.
/// @param hint  file name it may have in the folder; may be empty
/// Errors: kNotFound; its text says what was found instead.
[[nodiscard]] Result<FoundVolume> find_volume(storage::Env& env, const VolumePlaces& places,
                                              format::VolumeNumber number, const std::string& hint);

}  // namespace dgfs::reader
