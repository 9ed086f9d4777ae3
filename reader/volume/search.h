// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Searches for the volumes of an image by the headers in files, under any file name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/header/volume_header.h"
#include "storage/env.h"

namespace dgfs::reader {

/// Places to search for the volumes of an image.
struct VolumePlaces {
  format::Uuid uuid{};
  std::string folder;      ///< of the image; names from the volume table are tried here first
  std::string image_path;  ///< tried first for volume 0; may be empty
  /// Further files in any order, and folders; all files in a folder are tried.
  std::vector<std::string> paths;
  std::string index_path;  ///< file with the volume table; for errors
  std::uint64_t table_offset_bytes = 0;
  std::function<void(const Error&)> warn;
  bool past_page_cache = false;  ///< read contents past the page cache
  /// For salvage: accepts extents that end behind the end of a file that was cut short, so that
  /// their rest can be read.
  bool may_be_cut = false;
};

/// How a volume is known from its header page. A value.
struct VolumeIdentity {
  format::Uuid image{};  ///< of the image that it was made for
  format::VolumeNumber number = 0;
  /// Checksum of the page; none: any. Two images may have one UUID.
  std::optional<std::uint64_t> header_checksum = {};
};

/// A volume's file and header.
struct FoundVolume {
  std::shared_ptr<storage::File> file;
  format::VolumeHeader header;
  std::uint64_t header_checksum = 0;  ///< of its page
};

/// A header, and the checksum of its page. A value.
struct ReadHeader {
  format::VolumeHeader header;
  std::uint64_t checksum = 0;
};

/// The first page of a file, or less if the file is shorter. One read. Errors: kIo.
[[nodiscard]] Result<Buffer> read_first_page(const storage::File& file);

/// The header of a volume from its first page or, if that is damaged, from its last page; `warn`
/// then gets the damage.
/// @param first_page  from read_first_page()
/// Errors: kIo, kCorrupt, kUnsupported.
[[nodiscard]] Result<ReadHeader> read_volume_header(const storage::File& file, Bytes first_page,
                                                    const std::function<void(const Error&)>& warn);

/// Decodes the header page at `offset` of a file. Errors: kCorrupt, kUnsupported, with the place.
[[nodiscard]] Result<format::VolumeHeader> decode_header_page(const storage::File& file, Bytes page,
                                                              std::uint64_t offset);

/// Opens a volume and reads its header.
/// @param direct  read past the page cache
/// Errors: those of opening and of read_volume_header().
[[nodiscard]] Result<FoundVolume> open_volume(storage::Env& env, const std::string& path,
                                              bool direct,
                                              const std::function<void(const Error&)>& warn);

/// Replaces each folder among the paths by its regular files.
[[nodiscard]] std::vector<std::string> files_of_places(storage::Env& env,
                                                       const std::vector<std::string>& paths);

/// Searches for a volume. Reads one page of each file that it tries. If the volume is at none of
/// the places, also tries the hidden names beside them that an interrupted build leaves, and all
/// files of the image's folder.
/// @param number  of the volume in the image
/// @param wanted  what its header says
/// @param hint    likely file name in the folder; may be empty
/// Errors: kNotFound; its text names the other volumes that were found.
[[nodiscard]] Result<FoundVolume> find_volume(storage::Env& env, const VolumePlaces& places,
                                              format::VolumeNumber number,
                                              const VolumeIdentity& wanted,
                                              const std::string& hint);

}  // namespace dgfs::reader
