// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Decodes a whole image into values with format/ alone, and checks every checksum and
// cross-reference. Builder tests look at the result. Keeps everything in memory; shares no code
// with reader/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "format/entry/entry.h"
#include "format/header/superblock.h"
#include "format/section/sparse_map.h"
#include "storage/env.h"

namespace dgfs::test {

struct DumpedNode {
  format::Entry entry;  ///< of the link record where there is one
  format::InodeNumber inode = 0;
  std::string content;  ///< regular files, holes as zeros
  std::string target;
  std::vector<Xattr> xattrs;
  std::vector<format::SparseMap::Segment> segments;  ///< of sparse files
  std::uint64_t data_offset = 0;
  format::VolumeNumber volume = 0;  ///< the volume that data_offset refers to
  std::vector<std::string> children;
};

struct ImageDump {
  format::Superblock superblock;
  std::map<std::string, DumpedNode> nodes;  ///< by path, "" is the root
  std::size_t pages = 0;
  std::size_t attribute_tables = 0;
  std::size_t models = 0;
  std::vector<std::uint64_t> data_ends;  ///< by volume
};

/// Finds further volumes by their headers, whatever their names: in the image's folder and
/// `volume_folders`.
/// @param index_path  empty: the index in the image
[[nodiscard]] Result<ImageDump> dump_image(storage::Env& env, const std::string& image_path,
                                           const std::string& index_path = {},
                                           const std::vector<std::string>& volume_folders = {});

[[nodiscard]] Result<Buffer> read_whole(storage::Env& env, const std::string& path);

}  // namespace dgfs::test
